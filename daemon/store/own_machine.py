"""What this machine knows about itself and about the others that share its vault."""

import platform
import secrets
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from daemon.model.errors import ReplayError
from daemon.model.machine import OwnMachine, Sighting
from daemon.store.files import read_json, write_json

_NAME = "machine.json"
_SYSTEM_ID = Path("/etc/machine-id")


class MachineFile:
    """A small file in the state folder, next to the database: it survives if that is lost."""

    def __init__(self, state: Path) -> None:
        self._path = state / _NAME

    def load(self) -> OwnMachine:
        """Return what was stored; if there is nothing, a machine with a new id."""
        try:
            return _from_json(read_json(self._path))
        except (ReplayError, KeyError, TypeError, ValueError, AttributeError):
            return OwnMachine(f"m-{self._first_id()}")

    def _first_id(self) -> str:
        """Return an id that survives the loss of the state, if the system has one, too."""
        try:
            system = _SYSTEM_ID.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            system = ""
        if not system:
            return secrets.token_hex(6)
        place = f"{system} {platform.node()} {self._path.resolve()}"
        return sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:12]

    def save(self, own: OwnMachine) -> None:
        """Raises StoreError."""
        write_json(self._path, _to_json(own))


def _to_json(own: OwnMachine) -> dict[str, Any]:
    return {
        "id": own.id,
        "beat": own.beat,
        "term": own.term,
        "beat_at": own.beat_at.isoformat() if own.beat_at else None,
        "waits_until": own.waits_until.isoformat() if own.waits_until else None,
        "sightings": {id_: [each.beat, each.at.isoformat()] for id_, each in own.sightings.items()},
        "claims": {id_: at.isoformat() for id_, at in own.claims.items()},
        "taken": sorted(own.taken),
    }


def _from_json(body: Mapping[str, Any]) -> OwnMachine:
    return OwnMachine(
        id=str(body["id"]),
        beat=int(body["beat"]),
        term=int(body["term"]),
        beat_at=_moment(body["beat_at"]),
        waits_until=_moment(body["waits_until"]),
        sightings={
            id_: Sighting(int(beat), datetime.fromisoformat(at))
            for id_, (beat, at) in body["sightings"].items()
        },
        claims={id_: datetime.fromisoformat(at) for id_, at in body["claims"].items()},
        taken=frozenset(map(str, body["taken"])),
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
