"""Settings of suggested tasks."""

import re
from datetime import UTC, datetime

from pydantic import Field, field_validator

from daemon.config.section import OnPage, Section
from daemon.model.tasks import TaskFormat, TaskStyle

_TAG = re.compile(r"[\w/-]*")


class TaskSettings(Section):
    """Tasks that reports and documents suggest."""

    style: OnPage[TaskStyle] = Field(
        default=TaskStyle.TASKS,
        description="`tasks`: one note, in the format of the plugin Tasks; `daily`: a note for each"
        " day; `off`: none.",
    )
    due_days: OnPage[int] = Field(
        default=7,
        ge=0,
        le=365,
        description="Days until a task is due; 0: only on a day that it names.",
    )
    tag: str = Field(default="lacuna", description="Tag of each task, without `#`; empty: none.")
    daily_name: str = Field(
        default="%Y-%m-%d tasks",
        description="With `daily`: the name of a day's note, as a date format of strftime.",
    )

    @field_validator("tag")
    @classmethod
    def _is_tag(cls, tag: str) -> str:
        if _TAG.fullmatch(tag.removeprefix("#")) is None:
            raise ValueError("a tag contains letters, digits, - / and _ only")
        return tag.removeprefix("#")

    @field_validator("daily_name")
    @classmethod
    def _is_name(cls, name: str) -> str:
        first, other = (datetime(2026, 1, day, tzinfo=UTC).strftime(name) for day in (1, 2))
        if not first.strip() or first == other:
            raise ValueError("each day needs a name of its own, such as %Y-%m-%d")
        return name

    @property
    def format(self) -> TaskFormat:
        """Return how tasks are written."""
        return TaskFormat(self.style, self.due_days, self.tag, self.daily_name)
