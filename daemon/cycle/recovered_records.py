"""The findings of a run whose database was lost, by their names and its folder."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from pathlib import Path
from urllib.parse import unquote, urlsplit

from daemon.model.evidence import Hit, SourceType
from daemon.model.finding import FindingRecord, FindingStatus
from daemon.model.own_notes import RunNotes
from daemon.research.finding_names import finding_id, title_of
from daemon.research.identity import keys_of, strongest
from daemon.research.weigh import weigh
from daemon.store.evidence import RunFolder


def records_of(folder: RunFolder, notes: RunNotes) -> Iterator[FindingRecord]:
    """Return the findings of a run by their naming: a document and a question."""
    keys = folder.run_json().get("documents", {})
    named = product(folder.identities(), folder.agenda.tasks, (True, False))
    for (key, hit), task, is_of_question in named:
        # A finding of an earlier version is named after its document and its topic alone.
        id_ = finding_id(key, task.topic, task.query if is_of_question else "")
        if id_ in notes.written:
            yield FindingRecord(
                id=id_,
                run=folder.id,
                path=notes.written[id_],
                status=FindingStatus.PENDING,
                title=title_of(task) if is_of_question and not task.is_page else hit.title,
                source=hit.url,
                key=key,
                topic=task.topic,
                credibility=weigh(hit, 1).score,
                created_at=folder.started_at,
                content_hash=notes.hashes.get(id_, ""),
                about=task.note or "",
                question=task.query if is_of_question else "",
                keys=tuple(keys.get(id_, ())),
            )


def key_of(source: str, title: str) -> str:
    """Return the identity of a document of which only the address is known."""
    if source.startswith("file:"):
        try:
            body = Path(unquote(urlsplit(source).path)).read_bytes()
        except (OSError, ValueError):
            return source
        return f"sha256:{sha256(body).hexdigest()}"
    return strongest(keys_of(Hit("", SourceType.WEB, source, title))) or source
