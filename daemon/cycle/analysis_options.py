"""What an analysis of the vault depends on besides the index, and the same as JSON values."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from daemon.agenda.scope import WHOLE, Scope
from daemon.model.finding import Lesson


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """What an analysis depends on besides the index.

    `until` is the time up to which ages count, `scope` the part of the vault whose gaps are wanted,
    `lessons` are what the user's decisions on findings teach.
    """

    model: str
    meaning_similarity: float
    stale_days: int
    until: datetime
    scope: Scope = WHOLE
    lessons: tuple[Lesson, ...] = ()


def options_to_json(options: AnalysisOptions) -> dict[str, Any]:
    """Return JSON values for another process; see `options_from_json`."""
    lessons = [
        {**asdict(each), "decided_at": each.decided_at.isoformat()} for each in options.lessons
    ]
    return {**asdict(options), "until": options.until.isoformat(), "lessons": lessons}


def options_from_json(body: Mapping[str, Any]) -> AnalysisOptions:
    scope, lessons = body["scope"], body["lessons"]
    return AnalysisOptions(
        body["model"],
        body["meaning_similarity"],
        body["stale_days"],
        datetime.fromisoformat(body["until"]),
        Scope(tuple(scope["folders"]), tuple(scope["tags"])),
        tuple(
            Lesson(**{**each, "decided_at": datetime.fromisoformat(each["decided_at"])})
            for each in lessons
        ),
    )
