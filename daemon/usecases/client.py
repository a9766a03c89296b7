"""Asking the running daemon, without loading what it stands on."""

import json
from pathlib import Path
from typing import Any

from daemon.local_socket import SocketError, ask
from daemon.model.errors import LacunaError

_PATIENCE = 1.0  # seconds until the daemon says that it is at work
_WORKING_PATIENCE = 120.0  # seconds for the answer: a model may have to be loaded first
_ANSWERED, _REFUSED = 200, 422


def query(state: Path, name: str, body: dict[str, Any]) -> Any:
    """Return the JSON of a query's document, or None when no daemon answers in this state folder.

    Raises LacunaError when the daemon refuses the query.
    """
    try:
        status, answer = ask(
            state,
            f"/query/{name}",
            json.dumps(body).encode(),
            patience=_PATIENCE,
            working_patience=_WORKING_PATIENCE,
        )
        found = json.loads(answer)
    except (SocketError, ValueError):
        return None
    if status == _REFUSED:
        raise LacunaError(str(found["error"]))
    return found if status == _ANSWERED else None
