"""How the vault and the review of findings develop."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta, tzinfo

from pydantic import Field

from daemon.app import App
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.health_day import HealthDay
from daemon.usecases.document import Document, Request
from daemon.usecases.query import timed

_WEEK = timedelta(days=7)


class TrendsRequest(Request):
    """How far to look back."""

    days: int = Field(default=365, ge=1, le=3_660, description="Number of days.")


class Day(Document):
    """Figures from a day's last analysis."""

    day: date = Field(description="The day, in the local time zone.")
    notes: int = Field(description="Number of notes.")
    links: int = Field(description="Number of links between notes.")
    isolated: int = Field(description="Notes without any link.")
    unresolved: int = Field(description="Linked notes that do not exist.")
    clusters: tuple[int, ...] = Field(description="Notes of each cluster, the largest first.")


class Week(Document):
    """Findings of one week, and what became of them."""

    monday: date = Field(description="The first day of the week.")
    found: int = Field(description="Findings that were written.")
    accepted: int = Field(description="Those of them that were accepted.")
    dismissed: int = Field(description="Those of them that were dismissed.")


class Trends(Document):
    """The figures of each day on which the vault was analysed, and findings by week."""

    days: tuple[Day, ...] = Field(description="The oldest first.")
    weeks: tuple[Week, ...] = Field(
        description="The oldest first, from the first week with a finding to the current one."
    )


def trends(app: App, request: TrendsRequest, *, now: datetime) -> Trends:
    """Return what was kept of earlier analyses and reviews."""
    since = (now - timedelta(days=request.days)).date()
    analysis, records = app.index.knowledge.analysis, app.stores.findings.all()
    return Trends(
        days=tuple(
            Day.model_validate({"day": day, **_fields(figures)})
            for day, figures in analysis.days(since).items()
        ),
        weeks=_weeks(records, since, now, app.tz),
    )


def _fields(figures: HealthDay) -> dict[str, object]:
    return {name: getattr(figures, name) for name in HealthDay.__slots__}


def _weeks(
    records: Iterable[FindingRecord], since: date, now: datetime, zone: tzinfo
) -> tuple[Week, ...]:
    """Count findings by the week in which they were written."""
    counts: dict[date, dict[str, int]] = {}
    for record in records:
        day = record.created_at.astimezone(zone).date()
        if day >= since:
            week = counts.setdefault(_monday(day), dict.fromkeys(FindingStatus, 0) | {"found": 0})
            week["found"] += 1
            week[record.status] += 1
    if not counts:
        return ()
    monday, found = min(counts), []
    while monday <= now.date():
        week = counts.get(monday, {})
        found.append(
            Week(
                monday=monday,
                found=week.get("found", 0),
                accepted=week.get(FindingStatus.ACCEPTED, 0),
                dismissed=week.get(FindingStatus.DISMISSED, 0),
            )
        )
        monday += _WEEK
    return tuple(found)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


TRENDS = timed("trends", TrendsRequest, Trends, trends)
