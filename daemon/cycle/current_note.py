"""One of our notes as it is now, which may be newer than the index."""

from hashlib import sha256

from daemon.model.notes import NoteRow
from daemon.model.own_notes import SeenNote
from vault_adapters.base import NoteError, VaultAdapter


def current_note(
    adapter: VaultAdapter, row: NoteRow, *, is_just_synced: bool = False
) -> SeenNote | None:
    """Return the current note; None if it cannot be read, or is gone since the sync.

    With `is_just_synced`, what the sync has just read is not read again.
    """
    try:
        data = adapter.recall(row.path, row.hash) if is_just_synced else adapter.load(row.path)
    except NoteError:
        return None
    text = data.decode("utf-8", errors="replace")
    return SeenNote(row.path, text, sha256(data).hexdigest())
