"""A note of ours as it is now, which may be later than the index."""

from hashlib import sha256

from daemon.model.notes import NoteRow
from daemon.model.own_notes import SeenNote
from vault_adapters.base import NoteError, VaultAdapter


def current_note(adapter: VaultAdapter, row: NoteRow) -> SeenNote | None:
    """Read a note as it is now; None when it cannot be read, or is gone since the sync."""
    try:
        data = adapter.load(row.path)
    except NoteError:
        return None
    text = data.decode("utf-8", errors="replace")
    return SeenNote(row.path, text, sha256(data).hexdigest())
