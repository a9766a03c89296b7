"""Restore a finding from its note alone, when its record was lost. Pure."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from daemon.findings.block import Box, feedback, ticked
from daemon.findings.review import status_of
from daemon.model.finding import REVIEWED_KINDS, FindingRecord, FindingStatus
from daemon.model.literature import INGEST, INGESTED_KINDS
from daemon.model.own_notes import SeenNote, is_inside
from daemon.model.report import KIND as REPORT_KIND
from daemon.model.report import REPORT
from vault_adapters.edit import read_property, read_stamp


def recovered_finding(
    id: str, seen: SeenNote, *, title: str, key_of: Callable[[str], str], tz: tzinfo
) -> FindingRecord | None:
    """Return a finding's record from its note, or None if it is not a finding's.

    It is pending, whatever its note says: see `settled`. `key_of` returns a document's identity by
    its address.
    """
    source = str(read_property(seen.text, "source") or "")
    listed = read_property(seen.text, "sources")
    sources = tuple(map(str, listed)) if isinstance(listed, list) else ()
    created = read_stamp(read_property(seen.text, "created"), tz)
    kind = read_property(seen.text, "type")
    if kind not in REVIEWED_KINDS or created is None:
        return None
    own = {**dict.fromkeys(INGESTED_KINDS, INGEST), REPORT_KIND: REPORT}.get(str(kind))
    run = own or str(read_property(seen.text, "run") or "")
    return FindingRecord(
        id=id,
        run=run,
        path=seen.path,
        status=FindingStatus.PENDING,
        title=title,
        source=source,
        key=key_of(source),
        topic=str(read_property(seen.text, "topic") or ""),
        credibility=_number(read_property(seen.text, "credibility")),
        created_at=created,
        sources=sources,
        keys=tuple(map(key_of, sources)),
    )


def settled(record: FindingRecord, seen: SeenNote, *, inbox: str, at: datetime) -> FindingRecord:
    """Return a pending record with the decision in its note, made `at` or before.

    Unprocessed ticks stay to be processed. A note outside the inbox was moved there by the user,
    which accepts it, whatever its `status` still says.
    """
    status = status_of(read_property(seen.text, "status")) or FindingStatus.PENDING
    if status is FindingStatus.PENDING and not is_inside(seen.path, inbox):
        status = FindingStatus.ACCEPTED
    return replace(
        record,
        path=seen.path,
        status=status,
        content_hash=seen.hash,
        feedback=feedback(seen.text),
        decided_at=None if status is FindingStatus.PENDING else at,
    )


def is_never(record: FindingRecord, seen: SeenNote) -> bool:
    """Return whether the note has the mark that its topic is never to be suggested."""
    return record.status is FindingStatus.DISMISSED and Box.NEVER in ticked(seen.text)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0
