"""Whether the daemon that holds the lock works: a stopped or stuck one does not answer."""

from datetime import timedelta
from pathlib import Path

from daemon.model.clock import now
from daemon.model.wording import moment
from daemon.store.heartbeat import last_beat
from daemon.store.lock import held_by, lock_path
from daemon.usecases.place import Place, state_of
from daemon.usecases.stopped import DAEMON, PID, stopped_daemon
from daemon.vault_state import VaultState

_SILENCE = timedelta(minutes=15)  # as long as systemd's watchdog waits


def is_daemon(holder: str | None) -> bool:
    """Return whether a daemon, not a command, holds the lock of a state folder."""
    return holder is not None and holder.startswith(DAEMON)


def has_writer(place: Place) -> bool:
    """Return whether the daemon or a command is writing in this vault. Raises SettingsError."""
    return held_by(lock_path(state_of(place))) is not None


def has_daemon(vault: VaultState) -> bool:
    """Return whether the daemon of an open vault runs."""
    return is_daemon(vault.writer())


def how_to_have_models_ready(holder: str | None) -> str:
    """Return what makes models answer in time, from who has locked the vault."""
    if is_daemon(holder):
        return "the daemon, which keeps models loaded, is busy or still loads them: ask again soon"
    return "`lacuna run` keeps models loaded"


def trouble_of_daemon(state: Path) -> str:
    """Return why the daemon of a state folder will not answer, and what to do; "" if it may."""
    holder = held_by(lock_path(state))
    if holder is None or not is_daemon(holder):
        return ""
    found = PID.search(holder)
    pid = found[1] if found else ""
    if stopped := stopped_daemon(state):
        return stopped
    beat = last_beat(state)
    if beat is not None and now() - beat.beat_at > _SILENCE:
        at = moment(beat.beat_at)
        return (
            f"the daemon (pid {pid}) has given no heartbeat since {at}: it is stuck or the machine"
            f" was asleep; wait a minute, or end it with `kill -9 {pid}` and start it again"
        )
    return ""
