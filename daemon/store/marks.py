"""Small files next to the database that record in what state it was left."""

import time
from contextlib import suppress
from itertools import count
from pathlib import Path

from daemon.store.private import write_text

_CORRUPT = "corrupt"
_JOURNALS = ("-wal", "-shm")
_DAY = 86_400.0  # seconds


def mark_closed(path: Path) -> None:
    """Record which state of the database was closed properly, unless it was found corrupt."""
    with suppress(OSError):  # harmless: the next start checks the file
        if _read(_closed(path)) != _CORRUPT:
            write_text(_closed(path), _fingerprint(path))


def was_closed_cleanly(path: Path) -> bool:
    """Return whether the file is, by size and time, the one last closed; it is then not checked.

    A check takes a second per gigabyte, and is needed only after a crash or a change by another
    program.
    """
    try:
        return _read(_closed(path)) == _fingerprint(path)
    except OSError:
        return False


def mark_corrupt(path: Path) -> None:
    """Make the next start set the database aside, even if it seems intact."""
    with suppress(OSError):
        write_text(_closed(path), _CORRUPT)


def is_marked_corrupt(path: Path) -> bool:
    return path.exists() and _read(_closed(path)) == _CORRUPT


def forget(path: Path) -> None:
    """Forget how a database was left that is about to be removed."""
    _closed(path).unlink(missing_ok=True)


def begin_setting_aside(path: Path) -> Path:
    """Choose where the database goes, and record that; see `pending`. Raises OSError."""
    aside = next(
        free for n in count(1) if not (free := path.with_name(f"{path.name}.corrupt-{n}")).exists()
    )
    write_text(_pending(path), aside.name)
    return aside


def asides(path: Path) -> list[Path]:
    """Return the damaged databases that are kept next to this one."""
    found = path.parent.glob(f"{path.name}.corrupt-*")
    return sorted(each for each in found if not each.name.endswith(_JOURNALS))


def was_set_aside_lately(path: Path) -> bool:
    """Return whether a damaged database was set aside in the last day, by its name."""
    newest = max((each.stat().st_ctime for each in asides(path)), default=0.0)
    return time.time() - newest < _DAY


def set_aside(path: Path, aside: Path) -> None:
    """Rename the database and its journals, or continue that where a kill interrupted it.

    The database goes first: while there is none, any journals belong to it.
    """
    if not aside.exists():
        path.rename(aside)
    if not path.exists():
        for ending in _JOURNALS:
            journal = path.with_name(path.name + ending)
            if journal.exists():
                journal.rename(aside.with_name(aside.name + ending))
    _closed(path).unlink(missing_ok=True)


def pending(path: Path) -> Path | None:
    """Return the path of a database that was set aside, and whose rows are not recovered yet."""
    name = _read(_pending(path))
    aside = path.with_name(name) if name.startswith(f"{path.name}.corrupt-") else None
    if aside is not None and (aside.exists() or path.exists()):
        return aside
    return None


def end_setting_aside(path: Path) -> None:
    _pending(path).unlink(missing_ok=True)


def begin_restoring(path: Path, aside: Path) -> None:
    """Prevent everybody from opening the database until it is complete again. Raises OSError."""
    write_text(_restoring(path), aside.name)


def being_restored(path: Path) -> Path | None:
    """Return where the previous state goes while a backup is restored."""
    name = _read(_restoring(path))
    return path.with_name(name) if name.startswith("before-restore-") else None


def end_restoring(path: Path) -> None:
    _restoring(path).unlink(missing_ok=True)


def _restoring(path: Path) -> Path:
    return path.with_name(f"{path.name}.restoring")


def _closed(path: Path) -> Path:
    return path.with_name(f"{path.name}.closed")


def _pending(path: Path) -> Path:
    return path.with_name(f"{path.name}.aside")


def _fingerprint(path: Path) -> str:
    stat = path.stat()
    return f"{stat.st_size} {stat.st_mtime_ns}"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
