"""A folder whose new documents are taken in, as by the command."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from daemon.app import App
from daemon.host.due import Due
from daemon.library.library_files import folder_files
from daemon.usecases.ingest import INGEST, IngestRequest

_log = logging.getLogger(__name__)
_SCAN = timedelta(seconds=30)
_SETTLED = 5.0  # seconds without a change, after which a file is complete


@dataclass(slots=True)
class DropFolder:
    """Queues a command for the files that are new or changed since the last scan.

    After a restart all files are queued again; those that were taken in are recognised by their
    content.
    """

    app: App
    now: Callable[[], datetime]
    due: Due
    _seen: dict[str, tuple[int, int]] = field(default_factory=dict)

    def check(self) -> None:
        """Scan the folder now and then. Raises StoreError."""
        folder, now = self.app.settings.ingest.folder, self.now()
        if folder is None or now < self.due.drop_at:
            return
        self.due.drop_at = now + _SCAN
        found = dict(filter(None, (self._changed(path, now) for path in folder_files(folder))))
        if not found:
            return
        _log.info("taking in %d new files in %s", len(found), folder)
        body = IngestRequest(inputs=tuple(found)).model_dump(mode="json")
        self.app.stores.requests.ask(INGEST.name, body, now=now)
        self._seen |= found
        self.due.requests = True

    def _changed(self, path: Path, now: datetime) -> tuple[str, tuple[int, int]] | None:
        """Return a complete file's path, size and time, unless they were seen before."""
        try:
            status = path.stat()
        except OSError:
            return None
        state = (status.st_size, status.st_mtime_ns)
        is_settled = now.timestamp() - status.st_mtime >= _SETTLED
        return (str(path), state) if is_settled and self._seen.get(str(path)) != state else None
