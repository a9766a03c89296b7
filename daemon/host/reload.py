"""Reload settings, sources and tables between two turns of the loop: on SIGHUP."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from pathlib import Path

from daemon.app import App
from daemon.config import KEYS, UNTIL_RESTART, Settings, value_of, with_values
from daemon.host.sd_notify import notify_reloading
from daemon.model.errors import LacunaError
from vault_adapters.base import VaultError

_log = logging.getLogger(__name__)


class Ending(Enum):
    """Why a loop ended."""

    STOPPED = auto()
    OUT_OF_DATE = auto()  # the writable folders have changed: a new process is needed
    RELOADED = auto()  # the settings have changed: another loop continues with another App


@dataclass(slots=True)
class Reload:
    """Builds another App from the current files; while they are invalid, nothing changes.

    `is_requested` is set from a signal handler. `tables` are files whose content matters and that
    the App does not keep; `trouble` says why the last attempt failed.
    """

    load: Callable[[], Settings]
    open: Callable[[Settings], App]
    tables: tuple[Path, ...] = ()
    is_requested: bool = False
    trouble: str = ""
    reloaded_at: datetime | None = None  # time of the last successful attempt
    _next: App | None = None
    _seen: dict[Path, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._seen = _contents(self.tables)

    def attempt(self, running: App, now: datetime) -> bool:
        """Open another App with the current files, and log the differences, or the error."""
        notify_reloading()
        self.is_requested = False
        try:
            wanted = self.load()
            kept = {key: value_of(running.settings, key) for key in UNTIL_RESTART}
            opened = self.open(with_values(wanted, kept))
        except (LacunaError, VaultError) as error:
            self.trouble = str(error)
            _log.error("reload failed; keeping the current settings: %s", error)
            return False
        self.trouble, self._next, before = "", opened, self._seen
        self.reloaded_at = now
        self._seen = _contents(self.tables)
        changes = [*_changes(running, opened), *_changed_tables(before, self._seen)]
        for line in changes or ["no setting has changed"]:
            _log.info("settings reloaded: %s", line)
        for line in _changed_settings(running.settings, wanted, UNTIL_RESTART):
            _log.warning("%s: applies when the daemon is restarted", line)
        return True

    def take(self) -> App:
        """Return what `attempt` opened; the caller closes it."""
        opened, self._next = self._next, None
        if opened is None:
            raise LookupError("no attempt to reload the settings has succeeded")
        return opened


def _changes(before: App, after: App) -> Iterator[str]:
    keys = [key for key in KEYS if key not in UNTIL_RESTART]
    yield from _changed_settings(before.settings, after.settings, keys)
    for name in sorted({*before.research.registry, *after.research.registry}):
        old, new = before.research.registry.get(name), after.research.registry.get(name)
        if old is None or new is None:
            yield f"source {name}: {'new' if old is None else 'no longer there'}"
        elif old != new:
            keys = [key for key in type(old).model_fields if getattr(old, key) != getattr(new, key)]
            yield f"source {name}: changed {', '.join(keys)}"
    for name in sorted({*before.research.sources} ^ {*after.research.sources}):
        yield f"source {name}: {'on' if name in after.research.sources else 'off'} now"


def _changed_settings(before: Settings, after: Settings, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        old, new = value_of(before, key), value_of(after, key)
        if old != new:
            yield f"{key}: {_shown(old)} → {_shown(new)}"


def _changed_tables(before: dict[Path, bytes], after: dict[Path, bytes]) -> Iterator[str]:
    for path, content in after.items():
        if before.get(path) != content:
            yield f"{path.name}: another table"


def _shown(value: object) -> str:
    """Format a value; for an address, whose path may be a secret, only that there is one."""
    text = str(value)
    return "(an address)" if "://" in text else text or "(empty)"


def _contents(paths: tuple[Path, ...]) -> dict[Path, bytes]:
    return {path: path.read_bytes() if path.is_file() else b"" for path in paths}
