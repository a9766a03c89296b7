"""Settings of agendas and research, and when both start."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from daemon.config.own_schedules import Day, TimeOfDay, is_time
from daemon.config.section import OnPage, Section
from daemon.config.vault_section import FolderPath
from daemon.model.agenda import Approval, Depth


def _is_time_or_empty(value: str) -> str:
    return is_time(value) if value else ""


class AgendaSettings(Section):
    """When a proposed agenda starts."""

    approval: Approval = Field(
        default=Approval.VETO,
        description="When an agenda starts: after the veto time, after approval (required), or"
        " immediately (none).",
    )
    veto_hours: float = Field(
        default=12.0, ge=0, le=8760, description="Veto time of a scheduled agenda (hours)."
    )
    tagged_veto_seconds: float = Field(
        default=60.0,
        ge=0,
        le=604_800,
        description="Veto time of the agenda of a tagged note (seconds).",
    )


class ResearchSettings(Section):
    """What is researched, and how far."""

    tag: str = Field(
        default="research",
        description="The tag that requests research; empty disables it.",
    )
    max_queued: OnPage[int] = Field(
        default=20,
        ge=1,
        le=1000,
        description="Maximum number of research requests in the queue; the others wait.",
    )
    depth: Depth = Field(default=Depth.STANDARD, description="Default research depth.")
    max_findings: OnPage[int] = Field(
        default=5, ge=1, le=50, description="Maximum number of findings per run."
    )
    coverage_threshold: OnPage[float] = Field(
        default=0.85,
        gt=0,
        le=1,
        description="Cosine similarity from which the vault already covers a passage.",
    )
    reranker: str = Field(
        default="auto",
        description="The cross-encoder that decides what answers a question: auto, off, or the"
        " absolute path of a folder with a model.",
    )
    retraction_watch: FolderPath = Field(
        default=None,
        description="A copy of Retraction Watch's retraction_watch.csv; papers in it get a"
        " credibility of 0.",
    )

    @field_validator("tag")
    @classmethod
    def _is_a_tag(cls, value: str) -> str:
        tag = value.strip().removeprefix("#")
        if not re.fullmatch(r"[\w/-]*", tag) or tag.isdecimal():
            raise ValueError("must be a tag such as research")
        return tag

    @field_validator("reranker")
    @classmethod
    def _is_a_reranker(cls, value: str) -> str:
        if value not in ("auto", "off") and not value.startswith(("/", "~/")):
            raise ValueError("must be auto, off, or the absolute path of a folder")
        return value


class WeeklySettings(Section):
    """The weekly run."""

    enabled: bool = Field(default=True, description="Research the whole vault once a week.")
    day: OnPage[Day] = Field(default="sun", description="The day of the weekly run.")
    time: OnPage[TimeOfDay] = Field(
        default="09:00", description="Local time of the weekly run, HH:MM."
    )
    jitter_minutes: OnPage[int] = Field(
        default=0,
        ge=0,
        le=720,
        description="Maximum random delay of the weekly run (minutes).",
    )


class NightlySettings(Section):
    """The nightly run."""

    enabled: bool = Field(default=False, description="Research the queue note at night.")
    start: OnPage[TimeOfDay] = Field(
        default="02:00", description="Local start time of the nightly run, HH:MM."
    )
    end: OnPage[TimeOfDay] = Field(
        default="06:00", description="Local end time of the nightly run, HH:MM."
    )
    jitter_minutes: OnPage[int] = Field(
        default=0,
        ge=0,
        le=120,
        description="Maximum random delay of the nightly run (minutes).",
    )
    max_items: int = Field(
        default=20, ge=1, le=20, description="Maximum number of topics and addresses per night."
    )


class QuietHoursSettings(Section):
    """Hours in which no schedule starts."""

    start: OnPage[Annotated[str, AfterValidator(_is_time_or_empty)]] = Field(
        default="",
        description="Start of quiet hours, local time, HH:MM: no schedule starts; empty: none.",
    )
    end: OnPage[Annotated[str, AfterValidator(_is_time_or_empty)]] = Field(
        default="", description="End of quiet hours, local time, HH:MM."
    )

    def include(self, time: str) -> bool:
        """Return whether a time of day (HH:MM) is within quiet hours."""
        if not self.start or not self.end:
            return False
        if self.start < self.end:
            return self.start <= time < self.end
        return time >= self.start or time < self.end


class ConditionSettings(Section):
    """What scheduled work waits for."""

    min_battery_percent: OnPage[int] = Field(
        default=30,
        ge=0,
        le=100,
        description="Minimum charge for scheduled runs and long indexing on battery; 0 disables the"
        " check.",
    )
    wait_when_metered: bool = Field(
        default=True, description="Delay scheduled runs on a metered network."
    )
    wait_when_offline: OnPage[bool] = Field(
        default=True, description="Delay research while offline."
    )
