"""Single values about the state: one row each of the table `meta`."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from daemon.store.db import Database

_VERSION = "index_version"
_RESOLVED = "links_point_among"
_UNREADABLE = "unreadable"
_SCALE = "scale "  # with the model's name
_FILE, _FILE_AT = "vectors", "vectors_at"
_TO_LEARN = "to_learn"
_WAS_AWAY = "network_was_away"
_SUGGESTED = "suggested_tasks"


class IndexState:
    """Which version parsed the notes, how links were resolved, how a model was calibrated."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def version(self) -> str | None:
        """Return the version that parsed the notes, or None in a new index."""
        return self._db.get_meta(_VERSION)

    def save_version(self, version: str) -> None:
        self._db.set_meta(_VERSION, version)

    def resolved_by(self) -> str | None:
        """Return the fingerprint of the paths and names by which links were resolved.

        None in a new index; "" while links are being resolved again.
        """
        return self._db.get_meta(_RESOLVED)

    def save_resolved_by(self, fingerprint: str) -> None:
        self._db.set_meta(_RESOLVED, fingerprint)

    def unreadable(self) -> dict[str, str]:
        """Return what the last scan of the whole vault had to skip: path → why."""
        found: dict[str, str] = json.loads(self._db.get_meta(_UNREADABLE) or "{}")
        return found

    def save_unreadable(self, found: Mapping[str, str]) -> None:
        if found != self.unreadable():
            self._db.set_meta(_UNREADABLE, json.dumps(found))

    def calibration(self, model: str) -> Mapping[str, Any]:
        """Return the measured scale of a model's cosines in this vault; empty before that."""
        found: dict[str, Any] = json.loads(self._db.get_meta(_SCALE + model) or "{}")
        return found

    def save_calibration(self, model: str, measured: Mapping[str, Any]) -> None:
        self._db.set_meta(_SCALE + model, json.dumps(measured))


class VectorFileState:
    """Which vector file was saved last, and which chunks and embeddings are in it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def checksum(self) -> str | None:
        """Return size, checksum, format and model of the file; "" for none, None if never saved."""
        return self._db.get_meta(_FILE)

    def number(self) -> int | None:
        """Return the generation of chunks and embeddings in the file (see `Touched`)."""
        found = self._db.get_meta(_FILE_AT)
        return int(found) if found else None

    def save(self, checksum: str, number: int | None) -> None:
        with self._db.transaction():
            self._db.set_meta(_FILE, checksum)
            self._db.set_meta(_FILE_AT, str(number))

    def outdate(self) -> None:
        """Have the file saved again."""
        self._db.set_meta(_FILE_AT, "")


class RecoveryState:
    """Whether the database is new, and must still be restored from runs and notes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def is_due(self) -> bool:
        return self._db.get_meta(_TO_LEARN) == "1"

    def save_done(self) -> None:
        self._db.set_meta(_TO_LEARN, "0")

    def transaction(self) -> AbstractContextManager[None]:
        """Make several changes in one transaction."""
        return self._db.transaction()


class NetworkState:
    """Whether the network was down at the last check."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def was_away(self) -> bool:
        return self._db.get_meta(_WAS_AWAY) == "1"

    def save_away(self, *, is_away: bool) -> None:
        self._db.set_meta(_WAS_AWAY, "1" if is_away else "0")

    def transaction(self) -> AbstractContextManager[None]:
        """Make several changes in one transaction."""
        return self._db.transaction()


class SuggestionState:
    """What was suggested to the user, so that nothing is suggested twice."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def tasks(self) -> tuple[list[str], list[str]]:
        """Return the keys of all tasks, and the lines that wait to be written."""
        body = json.loads(self._db.get_meta(_SUGGESTED) or "{}")
        return body.get("known", []), body.get("waiting", [])

    def save_tasks(self, known: Sequence[str], waiting: Sequence[str]) -> None:
        body = {"known": list(known), "waiting": list(waiting)}
        self._db.set_meta(_SUGGESTED, json.dumps(body, ensure_ascii=False))
