"""Settings of the page and the REST interface."""

from pydantic import Field

from daemon.config.section import Section


class WebSettings(Section):
    """The page and the REST interface."""

    enabled: bool = Field(
        default=False,
        description="Have the daemon listen on `port`, and start the server for the first"
        " connection.",
    )
    port: int = Field(default=7431, ge=1, le=65535, description="TCP port on this machine.")
    idle_minutes: float = Field(
        default=15,
        ge=0.01,
        le=1440,
        description="Minutes without a connection after which a server that was started on demand"
        " stops; browsers are then signed out.",
    )
    mcp: bool = Field(default=False, description="Also serve assistants, at /mcp.")
