"""Make the notes of a run again, from its folder alone."""

from pathlib import Path

from daemon.cycle.run_texts import digest_entry, finding_texts, text_hash, write_copy
from daemon.findings.digest import digest_text
from daemon.model.errors import ReplayError
from daemon.model.progress import Progress, no_progress
from daemon.research.replay import replay
from daemon.store.run_notes import NOTES, read_notes
from daemon.store.runs import RunStore


def replay_notes(
    store: RunStore, ref: str, into: Path, progress: Progress = no_progress
) -> list[tuple[Path, bool]]:
    """Replay a run's notes into the folder `into`; return for each whether it is the same.

    A note that the replay does not produce again counts as different. Needs no network, no
    vault and no model. Raises ReplayError, StoreError.
    """
    folder = store.to_replay(ref)
    if not folder.files.has(NOTES):
        raise ReplayError(f"{folder.id} wrote no notes, so there are none to make again")
    notes = read_notes(folder.files)
    result = replay(folder, progress)
    texts = finding_texts(result.findings, notes)
    paths = {id_: notes.written[id_] for id_ in texts if id_ in notes.written}
    entry, link = digest_entry(folder, result, notes)
    texts[folder.id] = digest_text(entry, link=link, tz=notes.zone)
    digest = notes.written.get(folder.id, "")
    has_digest = digest not in ("", folder.agenda.path)
    paths[folder.id] = digest if has_digest else f"{folder.id}.md"
    own = {*paths.values(), folder.agenda.path}
    missing = [path for path in notes.written.values() if path and path not in own]
    made = [
        (
            write_copy(into / Path(path).name, texts[id_]),
            text_hash(texts[id_]) == notes.hashes.get(id_),
        )
        for id_, path in paths.items()
    ]
    return [*made, *((into / Path(path).name, False) for path in missing)]
