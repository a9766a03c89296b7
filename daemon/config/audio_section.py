"""Settings of audio: who speaks, how, and which episodes are made at night."""

from typing import Annotated

from pydantic import Field, field_validator

from daemon.config.own_schedules import TimeOfDay
from daemon.config.section import OnPage, Section
from daemon.config.vault_section import FolderPath
from daemon.model.audio import AudioFormat, EngineChoice

_MAX_VOICES = 2


class AudioSettings(Section):
    """Reports and findings as audio; see [audio](audio.md)."""

    engine: EngineChoice = Field(
        default=EngineChoice.AUTO,
        description="What speaks: `kokoro`, `piper`, `espeak-ng`, or `auto`: the first of these"
        " that is installed.",
    )
    voices: Annotated[tuple[str, ...], Field(max_length=_MAX_VOICES)] = Field(
        default=(),
        description="Up to two voices: the first narrates, the second reads quotes; default: those"
        " of the engine. `lacuna audio --voices` lists them.",
    )
    speed: OnPage[float] = Field(
        default=1.0, ge=0.5, le=2.0, description="Speed of speech; 1 is normal."
    )
    format: OnPage[AudioFormat] = Field(
        default=AudioFormat.OPUS, description="Format of audio files: `opus` (Ogg) or `mp3`."
    )
    max_minutes: OnPage[int] = Field(
        default=20, ge=1, le=120, description="Maximum length of an episode (minutes)."
    )
    kokoro_folder: FolderPath = Field(
        default=None, description="A folder with a model and voices of Kokoro."
    )
    piper_folder: FolderPath = Field(default=None, description="A folder with voices of Piper.")
    daily: bool = Field(
        default=False, description="Make an episode of the findings of the last day, each night."
    )
    topical: bool = Field(
        default=False,
        description="Make an episode of the topic with most new findings, each night.",
    )
    time: OnPage[TimeOfDay] = Field(
        default="06:00", description="Local time of these two episodes, HH:MM."
    )
    address: str = Field(
        default="",
        description="The address at which you serve the folder `Audio`, for `feed.xml`; empty:"
        " addresses of files.",
    )

    @field_validator("address")
    @classmethod
    def _is_address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        return value.rstrip("/")
