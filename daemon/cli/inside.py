"""What `lacuna status` shows of the inside: memory, what went wrong, who is yet to be told."""

import shutil
from collections.abc import Iterator
from typing import Any

from daemon.app import App
from daemon.cli.output import counted, moment
from daemon.store.heartbeat import Heartbeat
from daemon.store.outbox import OutboxStore, Waiting
from daemon.store.troubles import TroubleRow, TroubleStore

_MEGA = 1_000_000
_FULL_MB = 20  # free, below which hardly anything can be written
_SHOWN = 5  # of what went wrong lately


def memory_line(sign: Heartbeat) -> str:
    """Say what the daemon and its children hold, or nothing where the system does not tell."""
    if not sign.memory:
        return ""
    own = f"{sign.memory / _MEGA:.0f} MB of memory"
    if not sign.children:
        return own
    word = "child process" if sign.children == 1 else "child processes"
    return f"{own}, and {sign.children_memory / _MEGA:.0f} MB in {sign.children} {word}"


def inside_document(app: App) -> dict[str, Any]:
    """Return what `status --json` says of the inside."""
    return {
        "disk_free_mb": _disk_free_mb(app),
        "troubles": [_trouble(row) for row in _troubles(app)],
        "notices_waiting": [_notice(row) for row in OutboxStore(app.db).all()],
        "notified_by": list(app.delivery.notifiers),
        "hooks": {event.value: len(lists) for event, lists in app.settings.hooks.items()},
    }


def inside_lines(app: App) -> Iterator[tuple[str, str]]:
    """Yield (label, line) of a full disk, of what went wrong lately, and of who waits for what."""
    if (free := _disk_free_mb(app)) < _FULL_MB:
        yield (
            "disk",
            f"full: only {free} MB free in {app.state}; nothing goes on until there is room",
        )
    for number, row in enumerate(_troubles(app)):
        often = f" ({row.times} times)" if row.times > 1 else ""
        over = ", over since" if row.over_at else ""
        line = f"{moment(row.last_at)}{often}{over}: {row.part}: {row.line}"
        yield ("errors" if number == 0 else "", line)
    waiting = OutboxStore(app.db).all()
    for number, each in enumerate(waiting[:_SHOWN]):
        yield ("notices" if number == 0 else "", _waits(each))
    if len(waiting) > _SHOWN:
        yield ("", f"and {counted(len(waiting) - _SHOWN, 'more notice')}")


def _disk_free_mb(app: App) -> int:
    return shutil.disk_usage(app.state).free // _MEGA


def _troubles(app: App) -> list[TroubleRow]:
    return TroubleStore(app.db).last(_SHOWN)


def _waits(waiting: Waiting) -> str:
    why = (
        f" after {counted(waiting.tries, 'try', 'tries')}: {waiting.trouble}"
        if waiting.tries
        else ""
    )
    return f"{waiting.notice.kind} waits for {waiting.channel}{why}"


def _trouble(row: TroubleRow) -> dict[str, Any]:
    return {
        "part": row.part,
        "line": row.line,
        "first_at": row.first_at.isoformat(),
        "last_at": row.last_at.isoformat(),
        "times": row.times,
        "over_at": row.over_at.isoformat() if row.over_at else None,
    }


def _notice(waiting: Waiting) -> dict[str, Any]:
    return {
        "kind": waiting.notice.kind.value,
        "channel": waiting.channel,
        "created_at": waiting.notice.created_at.isoformat(),
        "due_at": waiting.due_at.isoformat(),
        "tries": waiting.tries,
        "trouble": waiting.trouble,
    }
