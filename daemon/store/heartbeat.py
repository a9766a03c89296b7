"""The daemon's heartbeat in the state folder, for `lacuna status`."""

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from daemon.model.errors import ReplayError
from daemon.store.files import read_json, write_json

_NAME = "daemon.json"


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """`watching` is False while the vault cannot be watched; `polling` says why it is polled
    instead, or is empty; `doing` is the current activity; `unconfined` says why nothing confines
    its writing, and `not_reloaded` why reloading the settings failed, if so.

    `reloaded_at` is when the settings were last reloaded, if ever since its start.

    `memory` and `children_memory` are resident bytes of the daemon, and of all its `children`.
    """

    beat_at: datetime
    watching: bool
    polling: str
    doing: str
    unconfined: str = ""
    not_reloaded: str = ""
    memory: int = 0
    children: int = 0
    children_memory: int = 0
    reloaded_at: datetime | None = None


def beat(state: Path, heartbeat: Heartbeat) -> None:
    """Raises StoreError."""
    write_json(state / _NAME, heartbeat_json(heartbeat))


def heartbeat_json(heartbeat: Heartbeat) -> dict[str, Any]:
    """Format it as JSON, times in ISO 8601."""
    read_at = heartbeat.reloaded_at
    return {
        **asdict(heartbeat),
        "beat_at": heartbeat.beat_at.isoformat(),
        "reloaded_at": read_at.isoformat() if read_at else None,
    }


def last_beat(state: Path) -> Heartbeat | None:
    """Return the last heartbeat, or None if there is none that can be read."""
    try:
        body = read_json(state / _NAME)
        body["beat_at"] = datetime.fromisoformat(body["beat_at"])
        if body.get("reloaded_at"):
            body["reloaded_at"] = datetime.fromisoformat(body["reloaded_at"])
        return Heartbeat(**body)
    except (ReplayError, KeyError, TypeError, ValueError):
        return None
