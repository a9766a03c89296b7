"""Folders whose new documents are ingested, as by the command: the user's, and the inbox's."""

import logging
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from daemon.app import App
from daemon.findings.literature_note import FOLDER as LITERATURE
from daemon.host.due import Due
from daemon.library.library_files import folder_files
from daemon.usecases.ingest import INGEST, IngestRequest

_log = logging.getLogger(__name__)
_SCAN = timedelta(seconds=30)
_SETTLED = timedelta(seconds=10)  # without a change, after which a file is complete
# What browsers and other programs name files that they have not completed.
_PARTIAL = (".part", ".partial", ".crdownload", ".download", ".opdownload", ".tmp", "~")
_NOTES = (".md", ".markdown")
_LOCK = "~$"  # how the names begin of what office programs write while a document is open

State = tuple[int, int]
"""The size and the time of a file."""


@dataclass(slots=True)
class DropFolder:
    """Queues a command for the files that are new or changed, once two scans found them equal.

    After a restart all files are queued again; those that were ingested are recognised by their
    content.
    """

    app: App
    now: Callable[[], datetime]
    due: Due
    _settling: dict[str, State] = field(default_factory=dict)  # new at the last scan
    _queued: dict[str, State] = field(default_factory=dict)

    @property
    def is_settling(self) -> bool:
        """Whether a new file was found that is not queued yet."""
        return bool(self._settling)

    def check(self) -> None:
        """Scan the folder now and then. Raises StoreError."""
        now = self.now()
        if now < self.due.drop_at:
            return
        found = dict(filter(None, map(_state, self._files())))
        new = {path: state for path, state in found.items() if self._queued.get(path) != state}
        settled = {path: state for path, state in new.items() if self._settling.get(path) == state}
        self._settling = {path: new[path] for path in new.keys() - settled}
        self.due.drop_at = now + (_SETTLED if self._settling else _SCAN)
        if settled:
            _log.info("ingesting new files: %s", ", ".join(settled))
            body = IngestRequest(inputs=tuple(settled)).model_dump(mode="json")
            self.app.stores.requests.ask(INGEST.name, body, now=now)
            self.due.requests = True
        known = {path: state for path, state in self._queued.items() if path in found}
        self._queued = known | settled

    def _files(self) -> Iterator[Path]:
        """Yield the files of the drop folder; of the inbox's, those that are no notes."""
        settings = self.app.settings
        if settings.ingest.folder is not None:
            yield from _complete(settings.ingest.folder)
        if settings.vault is not None:
            inbox = settings.vault / settings.inbox.folder / LITERATURE
            if inbox.is_dir():
                yield from (each for each in _complete(inbox) if each.suffix.lower() not in _NOTES)


def _complete(folder: Path) -> list[Path]:
    """List the files in a folder, but not those that a program is still writing, by their names."""
    return [path for path in folder_files(folder) if not _is_partial(path.relative_to(folder))]


def _is_partial(path: Path) -> bool:
    return any(each.lower().endswith(_PARTIAL) or each.startswith(_LOCK) for each in path.parts)


def _state(path: Path) -> tuple[str, State] | None:
    """Return a file's path, size and time; None if it is gone, or a pipe or a device."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (
        (str(path), (status.st_size, status.st_mtime_ns)) if stat.S_ISREG(status.st_mode) else None
    )
