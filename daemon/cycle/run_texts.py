"""The texts of a run's notes, from its folder and its result alone: a replay gives the same."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from daemon.findings.digest import Cost, Entry
from daemon.findings.render import finding_text
from daemon.model.agenda import Agenda, Choice
from daemon.model.errors import StoreError
from daemon.model.finding import Finding, record_of
from daemon.model.own_notes import RunNotes
from daemon.research.run_record import RunResult, all_answers
from daemon.research.telling_sentences import telling_sentences
from daemon.store.evidence import RunFolder
from vault_adapters.wikilink import Linker, note_name


def named_in(
    paths: Iterable[str],
    titles: Mapping[str, str],
    agenda: Agenda,
    findings: Iterable[Finding],
) -> list[str]:
    """Return the paths whose names occur anywhere in the notes to be written."""
    words = [agenda.path or "", agenda.trigger, agenda.note or ""]
    for task in agenda.tasks:
        words += [task.because, task.topic, task.note or ""]
    for finding in findings:
        words += [each.near.path for each in finding.connects]
        words += [each.note for each in finding.contrasts]
    everything = "\n".join(words).casefold()
    return [
        path
        for path in paths
        if note_name(path).casefold() in everything
        or (path in titles and titles[path].casefold() in everything)
    ]


def finding_texts(findings: Iterable[Finding], notes: RunNotes) -> dict[str, str]:
    """Return finding's id → the text of its note."""
    link = Linker(notes.paths, notes.names, notes.titles)
    return {finding.id: finding_text(finding, link=link, tz=notes.zone) for finding in findings}


def digest_entry(folder: RunFolder, result: RunResult, notes: RunNotes) -> tuple[Entry, Linker]:
    """Return a digest's entry for a run, and the writer of its links."""
    # In the findings' own order: a restored record has only that of its keys.
    written = [finding for finding in result.findings if finding.id in notes.written]
    records = [record_of(finding, notes.written[finding.id]) for finding in written]
    entry = Entry(
        run=folder.id,
        created_at=folder.started_at,
        agenda=folder.agenda,
        findings=records,
        answers=all_answers(result),
        skips=result.skips,
        cost=_cost(result),
        answered={each.id: each.answer for each in result.findings},
        known=result.answered,
        is_cut_short=result.stopped_early,
        cut_short_by=result.stopped_why,
        remarks=result.remarks,
        telling=telling_sentences(folder.agenda, {*_answered(result), *result.near}, folder),
        near=result.near,
    )
    paths = [*notes.paths, *(record.path for record in records)]
    return entry, Linker(paths, notes.names, notes.titles)


def _answered(result: RunResult) -> set[str]:
    """Return the ids of the tasks that have a finding, of this run or an earlier one."""
    return {*result.answered, *(each.task.id for each in result.findings)}


def folder_name(folder: RunFolder, notes: RunNotes) -> str:
    """Return the name of a run's folder of findings: its day, and its subject."""
    agenda = folder.agenda
    topics = [task.topic for task in agenda.tasks if task.choice is Choice.WANTED]
    about = note_name(agenda.note) if agenda.note else ""
    if not about:
        is_asked = len(topics) == 1 or agenda.trigger == "command"
        about = topics[0] if topics and is_asked else agenda.trigger
    return f"{folder.started_at.astimezone(notes.zone):%Y-%m-%d} {about}"


def text_hash(text: str) -> str:
    """Return the sha256 of a text, to compare a replay."""
    return sha256(text.encode()).hexdigest()


def write_copy(path: Path, text: str) -> Path:
    """Write a replayed note, outside the vault. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from None
    return path


def _cost(result: RunResult) -> Cost:
    """Return what was sent by the ledger; by the folder, for a run that the ledger does not
    have.
    """
    spent = result.spent
    if spent.requests == 0:
        return Cost(requests=result.requests, bytes=result.bytes)
    return Cost(requests=spent.requests, bytes=spent.bytes, money=spent.money)
