"""Delete a vault's state: everything that Lacuna stored, and no file that is not its own."""

import shutil
from pathlib import Path

from daemon.model.errors import StoreError
from daemon.store.lock import WriterLock, lock_path

# What the state folder holds; a folder that the user chose may hold other things besides.
_OURS = (
    "lacuna.db*",
    ".lacuna.db*",
    "library.db*",
    ".library.db*",
    "derived.db*",
    ".derived.db*",
    "map.json",
    "query-embeddings.json*",
    ".map.json.tmp",
    "vectors.faiss*",
    "runs",
    "replays",
    "cache",
    "daemon.json*",
    "events.jsonl*",
    "daemon.sock",
    "web-*.sock",
    "web-password",
    "web-token",
    "open-page.html",
    "machine.json*",
    ".machine.json*",
    ".daemon.json*",
    "tmp",
    "daemon.log*",
    "before-restore-*",
    ".backup-*",
    ".restore-*",
)


def wipe(state: Path, *, whole: bool) -> list[str]:
    """Delete the state; return the names of files in its folder that Lacuna did not create.

    `whole`: Lacuna created the folder for this vault, so it is deleted with everything in it.
    Raises LockedError while the vault is in use, StoreError.
    """
    if not state.is_dir():
        return []
    try:
        with WriterLock(lock_path(state), holder="lacuna uninstall"):
            paths = state.iterdir() if whole else (p for ours in _OURS for p in state.glob(ours))
            for path in list(paths):
                if path.name != "daemon.lock":
                    _delete(path)
            lock_path(state).unlink()
            left = sorted(path.name for path in state.iterdir())
            if not left:
                state.rmdir()
    except OSError as error:
        raise StoreError(f"{error.filename or state}: {error.strerror or error}") from error
    return left


def _delete(path: Path) -> None:
    """Delete a file, a link (not its target) or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
