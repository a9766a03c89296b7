"""When research is proposed and run, and how far it goes."""

import re

from pydantic import Field, ValidationInfo, field_validator

from daemon.config.schedules import Day, Schedule, check_name, is_time
from daemon.config.section import Section
from daemon.model.agenda import Approval, Depth


class ResearchSettings(Section):
    """When research is proposed and run, and how far it goes."""

    approval: Approval = Field(
        default=Approval.VETO, description="What an agenda waits for: veto, required or none."
    )
    veto_hours: float = Field(
        default=12.0, ge=0, le=8760, description="Hours a scheduled agenda waits for your veto."
    )
    veto_seconds: float = Field(
        default=60.0,
        ge=0,
        le=604_800,
        description="Seconds the agenda of a tagged note waits for your veto.",
    )
    research_tag: str = Field(
        default="research",
        description="The tag by which a note asks for research, besides the property; empty for"
        " none.",
    )
    research_waiting: int = Field(
        default=20,
        ge=1,
        le=1000,
        description="Notes that ask for research and have a place in the queue at once, at most;"
        " the others have their turn as it gets shorter.",
    )
    depth: Depth = Field(
        default=Depth.STANDARD, description="How far a run goes: quick, standard, deep."
    )
    max_findings: int = Field(
        default=5, ge=1, le=50, description="Findings written per run at most."
    )
    weekly: bool = Field(
        default=True, description="Whether to research the whole vault once a week."
    )
    weekly_day: Day = Field(default="sun", description="The day of the weekly run.")
    weekly_time: str = Field(
        default="09:00", description="The local time of the weekly run, HH:MM."
    )
    weekly_jitter_minutes: int = Field(
        default=0,
        ge=0,
        le=720,
        description="Minutes by which the weekly run may come later, by chance.",
    )
    nightly: bool = Field(
        default=False,
        description="Whether to research at night what stands in the queue note in the inbox.",
    )
    nightly_from: str = Field(
        default="02:00", description="The local time at which the night's research begins, HH:MM."
    )
    nightly_until: str = Field(
        default="06:00", description="The local time by which it is done, HH:MM."
    )
    nightly_jitter_minutes: int = Field(
        default=0,
        ge=0,
        le=120,
        description="Minutes by which the night's research may begin later, by chance.",
    )
    nightly_most: int = Field(
        default=20, ge=1, le=20, description="Topics and addresses researched in a night at most."
    )
    schedules: dict[str, Schedule] = Field(
        default={},
        description="Schedules of your own, each a table [schedules.NAME]; see below.",
    )
    quiet_from: str = Field(
        default="",
        description="The local time from which nothing scheduled runs, HH:MM; empty for none.",
    )
    quiet_to: str = Field(default="", description="The local time at which quiet hours end, HH:MM.")
    battery_min_percent: int = Field(
        default=30,
        ge=0,
        le=100,
        description="On battery, what is scheduled waits below this charge, and a long index waits"
        " for the charger; 0 for never.",
    )
    metered_wait: bool = Field(
        default=True, description="Whether what is scheduled waits while the network is metered."
    )
    offline_wait: bool = Field(
        default=True, description="Whether research waits while there is no network."
    )

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
