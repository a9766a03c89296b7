"""Settings of questions to the vault."""

from pydantic import Field

from daemon.config.section import Section


class AskingSettings(Section):
    """How questions are answered."""

    per_minute: int = Field(
        default=60,
        ge=0,
        le=100_000,
        description="Maximum questions per minute of one client of the daemon; 0: no limit.",
    )
    web: bool = Field(
        default=False,
        description="Whether `lacuna ask` asks your sources when notes say too little; false: only "
        "with --web.",
    )
    remote_writer: bool = Field(
        default=False,
        description="Whether a writer on another machine may read passages of notes for an answer.",
    )
