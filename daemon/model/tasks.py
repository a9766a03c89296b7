"""Tasks that reports and documents suggest to the user."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from daemon.model.evidence import Hit


class TaskStyle(StrEnum):
    """Where suggested tasks are listed."""

    TASKS = "tasks"  # one note, in the format of the plugin Tasks
    DAILY = "daily"  # a note for each day
    OFF = "off"


@dataclass(frozen=True, slots=True)
class SuggestedTask:
    """A task; `note` is the path of the note that suggests it, `about` another that it is about,
    `hit` a work.

    `text` is untrusted. `due` is the day that it names.
    """

    text: str
    note: str
    about: str = ""
    hit: Hit | None = None
    due: date | None = None


@dataclass(frozen=True, slots=True)
class TaskFormat:
    """How tasks are written: the number of days until one is due (0: only on a day that it names),
    their tag without `#`, and the name of a day's note as a date format of `strftime`.
    """

    style: TaskStyle
    due_days: int
    tag: str
    daily_name: str
