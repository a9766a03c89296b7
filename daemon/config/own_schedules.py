"""Schedules of the user's own: `[schedules.NAME]` says when, about what, where, and how far."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from daemon.model.agenda import Depth
from scheduler.job import Cron, time_of_day

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
# Those that have settings of their own, and their section.
OWN_NAMES = {
    "weekly": "weekly", "nightly": "nightly", "audio-daily": "audio", "audio-topical": "audio"
}  # fmt: skip
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def is_time(value: str) -> str:
    """Return `value` if it is HH:MM. Raises ValueError."""
    wrong = ValueError("must be a time of day such as 09:00")
    if not re.fullmatch(r"\d{2}:\d{2}", value, re.ASCII):
        raise wrong
    try:
        time_of_day(value)
    except ValueError:
        raise wrong from None
    return value


def _is_cron(value: str) -> str:
    return Cron.parse(value).expression if value else ""


def _are_folders(value: tuple[str, ...]) -> tuple[str, ...]:
    for folder in value:
        parts = folder.strip("/").split("/")
        if folder.startswith(("/", "~")) or any(part in ("", ".", "..") for part in parts):
            raise ValueError(f"{folder!r} must be a folder inside the vault, such as Areas/Health")
    return tuple(folder.strip("/") for folder in value)


def _are_tags(value: tuple[str, ...]) -> tuple[str, ...]:
    for tag in value:
        if not tag.strip("# /") or re.search(r"\s", tag.strip()):
            raise ValueError(f"{tag!r} must be a tag such as health or health/sleep")
    return tuple(tag.strip().lstrip("#").strip("/") for tag in value)


TimeOfDay = Annotated[str, AfterValidator(is_time)]


class Schedule(BaseModel):
    """One schedule: either `cron`, or a `time` with or without a `day`."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    enabled: bool = Field(default=True, description="Run this schedule.")
    cron: Annotated[str, AfterValidator(_is_cron)] = Field(
        default="",
        description="Minute, hour, day of the month, month and day of the week (0 is Sunday), as in"
        " cron; local time.",
    )
    time: TimeOfDay | None = Field(
        default=None, description="Local time, HH:MM, instead of `cron`."
    )
    day: Day | None = Field(
        default=None, description="Day of the week for `time`; default: every day."
    )
    jitter_minutes: int = Field(
        default=0, ge=0, le=720, description="Maximum random delay of `time` (minutes)."
    )
    folders: Annotated[tuple[str, ...], AfterValidator(_are_folders)] = Field(
        default=(),
        description="Research only gaps of notes in these folders; with `tags`, in either.",
    )
    tags: Annotated[tuple[str, ...], AfterValidator(_are_tags)] = Field(
        default=(),
        description="Research only gaps of notes with one of these tags or their nested tags.",
    )
    sources: tuple[str, ...] = Field(
        default=(), description="Use only these sources; default: those that suit the query."
    )
    depth: Depth | None = Field(
        default=None, description="Research depth; default: `research.depth`."
    )
    max_findings: int | None = Field(
        default=None,
        ge=1,
        le=50,
        description="Maximum number of findings per run; default: `research.max_findings`.",
    )
    budget_requests: int = Field(
        default=0, ge=0, description="Maximum requests per run; 0: no separate limit."
    )
    max_mb: float = Field(
        default=0,
        ge=0,
        description="Maximum MB received per run; 0: no separate limit.",
    )
    budget_usd: float = Field(
        default=0,
        ge=0,
        description="Maximum US dollars per run; 0: no separate limit.",
    )

    @model_validator(mode="after")
    def _has_one_time(self) -> Self:
        if bool(self.cron) == (self.time is not None):
            raise ValueError("must have either cron or time (with day, if it is to be weekly)")
        if self.cron and (self.day is not None or self.jitter_minutes):
            raise ValueError("day and jitter_minutes go with time, not with cron")
        return self


def check_name(name: str) -> None:
    """Raise ValueError for a name that could not be typed, or that is taken."""
    if name in OWN_NAMES:
        raise ValueError(f"{name} has its own section, [{OWN_NAMES[name]}]: choose another name")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r}: a name is made of lowercase letters, digits, - and _")
