"""Formats of log lines: for a reader, for the journal, or as a JSON object."""

import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from daemon.cli.output import printable

_PLAIN = "%(levelname)s: %(message)s"
# Built-in attributes of a record; all others were given with `extra`.
_OWN = {*logging.makeLogRecord({}).__dict__, "message", "asctime", "taskName"}
# syslog(3)'s levels, by which journalctl filters and colours; see sd-daemon(3).
_PRIORITIES = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (logging.DEBUG, 7))


def log_to_stderr(level: str, form: str = "text") -> None:
    """Send this program's logs to stderr; libraries only when they warn.

    `form` is `text`, or `json` for one object a line.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(form, printable, to_journal=is_journal()))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("daemon", "vault_adapters", "scheduler"):
        logging.getLogger(name).setLevel(level.upper())


def formatter(
    form: str, clean: Callable[[str], str], *, to_journal: bool = False
) -> logging.Formatter:
    """Make a formatter of `text` or `json` lines; `clean` removes what a log must not contain."""
    if form == "json":
        return JsonLines(clean)
    return JournalLines(clean) if to_journal else PlainLines(clean)


def is_journal(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether stderr leads to the journal; see JOURNAL_STREAM in systemd.exec(5)."""
    device, _, inode = environ.get("JOURNAL_STREAM", "").partition(":")
    try:
        found = os.fstat(sys.stderr.fileno())
    except (AttributeError, OSError, ValueError):  # there is none, or it is not a file
        return False
    return (device, inode) == (str(found.st_dev), str(found.st_ino))


class PlainLines(logging.Formatter):
    """`WARNING: what happened`."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__(_PLAIN)
        self._clean = clean

    def format(self, record: logging.LogRecord) -> str:
        return self._clean(super().format(record))


class JournalLines(PlainLines):
    """Each line with its level as the journal reads it: `<4>WARNING: what happened`."""

    def format(self, record: logging.LogRecord) -> str:
        priority = next((number for level, number in _PRIORITIES if record.levelno >= level), 7)
        return "\n".join(f"<{priority}>{line}" for line in super().format(record).split("\n"))


class JsonLines(logging.Formatter):
    """`{"at": …, "level": …, "logger": …, "message": …, "fields": {…}}`, and perhaps `error`."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._clean = clean

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        values: dict[str, Any] = {
            "at": at,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._clean(record.getMessage()),
            "fields": {
                name: self._plain(value)
                for name, value in record.__dict__.items()
                if name not in _OWN
            },
        }
        if record.exc_info:
            values["error"] = self._clean(self.formatException(record.exc_info))
        return json.dumps(values, ensure_ascii=False)

    def _plain(self, value: object) -> object:
        return value if isinstance(value, bool | int | float | None) else self._clean(str(value))
