"""Make running daemons apply a changed setting."""

import time
from pathlib import Path
from typing import Any

from daemon.config import UNTIL_RESTART, load_settings, state_folder, vault_names
from daemon.local_socket import SocketError
from daemon.model.request import RELOAD
from daemon.store.lock import held_by, lock_path
from daemon.usecases import client
from daemon.usecases.client import UnansweredError
from daemon.usecases.liveness import is_daemon, trouble_of_daemon
from daemon.usecases.place import Place

PATIENCE = 3.0  # seconds to wait for the daemon's answer


def take_up(place: Place, table: str | None, key: str) -> list[str]:
    """Make the daemons of a setting reload it; return the outcome, line by line.

    `table` is the vault whose own setting it is; None for one of all vaults.
    """
    names = [table] if table is not None else vault_names(place.config)
    states = [_state_of(place, name) for name in names]
    running = [state for state in states if is_daemon(held_by(lock_path(state)))]
    return list(dict.fromkeys(_reload(state, key) for state in running))


def _state_of(place: Place, name: str) -> Path:
    settings = load_settings(place.config, flags={"vault": name, "state": place.state})
    return settings.state or state_folder(settings.vault or Path(name))


def _reload(state: Path, key: str) -> str:
    """Ask one daemon to reload, and return its answer."""
    if key in UNTIL_RESTART:
        return (
            "The running daemon uses the old value until it is started again:"
            " `lacuna service install` does that for the service, else stop and start `lacuna run`."
        )
    if trouble := trouble_of_daemon(state):
        return f"It is not used yet: {trouble}."
    ends_at = time.monotonic() + PATIENCE
    try:
        for part in client.command(state, RELOAD, {}):
            if isinstance(part, dict) and part.get("type") in ("done", "error"):
                return _outcome(part)
            if time.monotonic() >= ends_at:
                break
    except SocketError:  # it has restarted, with the new settings
        return "The running daemon uses it now."
    except UnansweredError as error:
        return f"The running daemon could not be asked to reload: {error}"
    return "The running daemon applies it when its current work has ended."


def _outcome(event: dict[str, Any]) -> str:
    if event["type"] == "done":
        return "The running daemon uses it now."
    return f"The running daemon does not use it: {event['message']}"
