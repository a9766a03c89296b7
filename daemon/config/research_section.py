"""When research is proposed and run, and how far it goes."""

import re

from pydantic import Field, ValidationInfo, field_validator

from daemon.config.schedules import Day, Schedule, check_name, is_time
from daemon.config.section import Section
from daemon.model.agenda import Approval, Depth


class ResearchSettings(Section):
    """When research is proposed and run, and how far it goes."""

    approval: Approval = Field(
        default=Approval.VETO,
        description="When an agenda starts: after the veto time, after approval (required), or"
        " immediately (none).",
    )
    veto_hours: float = Field(
        default=12.0, ge=0, le=8760, description="Veto time of a scheduled agenda (hours)."
    )
    veto_seconds: float = Field(
        default=60.0,
        ge=0,
        le=604_800,
        description="Veto time of the agenda of a tagged note (seconds).",
    )
    research_tag: str = Field(
        default="research",
        description="The tag that requests research; empty disables it.",
    )
    research_waiting: int = Field(
        default=20,
        ge=1,
        le=1000,
        description="Maximum number of research requests in the queue; the others wait.",
    )
    depth: Depth = Field(default=Depth.STANDARD, description="Default research depth.")
    max_findings: int = Field(
        default=5, ge=1, le=50, description="Maximum number of findings per run."
    )
    weekly: bool = Field(default=True, description="Research the whole vault once a week.")
    weekly_day: Day = Field(default="sun", description="The day of the weekly run.")
    weekly_time: str = Field(default="09:00", description="Local time of the weekly run, HH:MM.")
    weekly_jitter_minutes: int = Field(
        default=0,
        ge=0,
        le=720,
        description="Maximum random delay of the weekly run (minutes).",
    )
    nightly: bool = Field(
        default=False,
        description="Research the queue note at night.",
    )
    nightly_from: str = Field(
        default="02:00", description="Local start time of the nightly run, HH:MM."
    )
    nightly_until: str = Field(
        default="06:00", description="Local end time of the nightly run, HH:MM."
    )
    nightly_jitter_minutes: int = Field(
        default=0,
        ge=0,
        le=120,
        description="Maximum random delay of the nightly run (minutes).",
    )
    nightly_most: int = Field(
        default=20, ge=1, le=20, description="Maximum number of topics and addresses per night."
    )
    schedules: dict[str, Schedule] = Field(
        default={},
        description="Your own schedules, each a table [schedules.NAME]; see below.",
    )
    quiet_from: str = Field(
        default="",
        description="Start of quiet hours, local time, HH:MM: no schedule starts; empty: none.",
    )
    quiet_to: str = Field(default="", description="End of quiet hours, local time, HH:MM.")
    battery_min_percent: int = Field(
        default=30,
        ge=0,
        le=100,
        description="Minimum charge for scheduled runs and long indexing on battery; 0 disables the"
        " check.",
    )
    metered_wait: bool = Field(
        default=True, description="Delay scheduled runs on a metered network."
    )
    offline_wait: bool = Field(default=True, description="Delay research while offline.")

    @field_validator("research_tag")
    @classmethod
    def _is_a_tag(cls, value: str) -> str:
        tag = value.strip().removeprefix("#")
        if not re.fullmatch(r"[\w/-]*", tag) or tag.isdecimal():
            raise ValueError("must be a tag such as research")
        return tag

    @field_validator("weekly_time", "nightly_from", "nightly_until")
    @classmethod
    def _is_a_time(cls, value: str) -> str:
        return is_time(value)

    @field_validator("quiet_from", "quiet_to")
    @classmethod
    def _is_a_time_or_nothing(cls, value: str) -> str:
        return is_time(value) if value else ""

    @field_validator("quiet_to")
    @classmethod
    def _leaves_the_night(cls, value: str, info: ValidationInfo) -> str:
        begin, night = info.data.get("quiet_from"), info.data.get("nightly_from")
        if begin and value and night and info.data.get("nightly"):
            is_within = begin <= night < value if begin < value else night >= begin or night < value
            if is_within:
                raise ValueError(f"quiet hours from {begin} hold nightly_from ({night})")
        return value

    @field_validator("schedules")
    @classmethod
    def _are_called_well(cls, value: dict[str, Schedule]) -> dict[str, Schedule]:
        for name in value:
            check_name(name)
        return value
