"""When each note was last edited, according to the vault itself."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from daemon.model.notes import NoteRow

_EDITED = """
updated modified edited lastmod lastmodified lastupdated lastedited datemodified dateupdated
dateedited updatedat modifiedat updateddate modifieddate
"""
_CREATED = "created date datecreated createdat createddate creationdate published dateadded"
EDITED_KEYS, CREATED_KEYS = frozenset(_EDITED.split()), frozenset(_CREATED.split())
# A copy, a clone or a restore gives most files the same time, which then says nothing about edits.
COPIED_SHARE = 0.5
COPIED_WITHIN = timedelta(hours=1)
COPIED_NOTES = 100  # a smaller vault may well have been written in one sitting
# Epoch numbers in frontmatter: from 1973 in seconds, in milliseconds.
_SECONDS, _MILLISECONDS = 1e8, 1e11
_DATE = re.compile(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_NOT_IN_KEY = re.compile(r"[-_\s]")


class Age(NamedTuple):
    """The last edit of a note: the date that it states, or its file's time.

    `edited_at` is None if unknown; `since_at` is the latest time at which the note is known to have
    been touched at all (created, if nothing more is known).
    """

    edited_at: datetime | None
    is_stated: bool  # stated by a property of the note
    since_at: datetime | None


def ages(notes: Iterable[NoteRow], now: datetime) -> dict[str, Age]:
    """Return when each note was last edited; a date after `now` is ignored.

    A property of the note (`updated`, `modified`, …) takes precedence over the file's time, which a
    synced or cloned vault loses; file times that most of a vault shares are ignored.
    """
    notes = list(notes)
    copied_at = _copied_at([note.changed_at for note in notes])
    return {note.path: _age(note, copied_at, now) for note in notes}


def _age(note: NoteRow, copied_at: datetime | None, now: datetime) -> Age:
    stated = created = None
    if note.frontmatter:
        named = [(_plain(str(name)), value) for name, value in note.frontmatter.items()]
        stated = _latest_date([value for name, value in named if name in EDITED_KEYS], now)
        created = _latest_date([value for name, value in named if name in CREATED_KEYS], now)
    changed: datetime | None = note.changed_at
    copied = copied_at is not None and copied_at <= note.changed_at <= copied_at + COPIED_WITHIN
    if copied or note.changed_at > now:
        changed = None
    edited = stated or changed
    since = max(edited, created) if edited and created else edited or created
    return Age(edited, stated is not None, since)


def _copied_at(times: list[datetime]) -> datetime | None:
    """Return the start of the hour in which most files got their time, if there is one."""
    if len(times) < COPIED_NOTES:
        return None
    times.sort()
    needed = int(len(times) * COPIED_SHARE)
    for first, last in zip(times, times[needed:], strict=False):
        if last - first <= COPIED_WITHIN:
            return first
    return None


def _latest_date(values: Sequence[Any], now: datetime) -> datetime | None:
    if not values:  # as of most notes
        return None
    return max((at for at in map(_moment, values) if at is not None and at <= now), default=None)


@lru_cache(maxsize=4_096)
def _plain(name: str) -> str:
    return _NOT_IN_KEY.sub("", name).casefold()


def _moment(value: Any) -> datetime | None:
    """Parse a property as a time: ISO, a date in figures, or an epoch number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _of_epoch(value)
    return _of_text(str(value).strip())


def _of_epoch(value: float) -> datetime | None:
    try:
        seconds = value / 1000 if value > _MILLISECONDS else value
        return datetime.fromtimestamp(seconds, UTC) if value > _SECONDS else None
    except (ValueError, OverflowError, OSError):
        return None


@lru_cache(maxsize=4_096)  # many notes have the same day
def _of_text(text: str) -> datetime | None:
    try:
        match = _DATE.match(text)
        if match is None:
            return None
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            at = datetime(*map(int, match.groups()), tzinfo=UTC)  # type: ignore[misc,arg-type]
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None


def created_on(note: NoteRow, now: datetime) -> date | None:
    """Return the date that a note states, in a property or its file name; None if it states none.

    A date after `now` is ignored.
    """
    values = [value for name, value in note.frontmatter.items() if _plain(name) in CREATED_KEYS]
    found = _latest_date([*values, note.path.rpartition("/")[2]], now)
    return found.date() if found is not None else None
