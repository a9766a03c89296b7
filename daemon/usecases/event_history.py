"""Events for readers that come and go: what is kept first, then what happens."""

import os
import time
from collections.abc import Callable, Generator
from contextlib import suppress

from daemon.local_socket import SocketError
from daemon.model.event import EVENT, BaseEvent, ends
from daemon.usecases import activities, client
from daemon.usecases.client import UnansweredError
from daemon.usecases.liveness import is_daemon
from daemon.vault_state import VaultState

_AGAIN = 0.25  # seconds between two looks at what other processes write


def follow(
    app: VaultState, is_over: Callable[[], bool], after: int | None = None, run: str | None = None
) -> Generator[BaseEvent]:
    """Yield the events after a number, of the vault or of a run by its id, until `is_over`.

    Without a daemon, they are those that are kept, and those of work in any process. A reader that
    names no number first gets the last one, in an event of no type, to come back with. One that
    names a greater number gets all that is kept: the state was restored. Raises LacunaError when
    the daemon has stopped.
    """
    last = app.events.last
    seq = last if after is None else after if after <= last else 0
    if run is not None:
        yield from _of_run(app, is_over, 0 if after is None else seq, run)
        return
    if after is None:
        yield BaseEvent(seq=seq, at=app.events.clock(), pid=os.getpid())
    while not is_over():
        if is_daemon(app.writer()):
            yield from activities.follow(app, is_over, after=seq)
            return
        for event in _here(app, lambda: is_over() or is_daemon(app.writer()), seq):
            seq = event.seq
            yield event


def _of_run(
    app: VaultState, is_over: Callable[[], bool], seq: int, run: str
) -> Generator[BaseEvent]:
    """Yield the events of a run until its end, from the daemon or, without one, from its folder."""
    if is_daemon(app.writer()):
        with suppress(SocketError, UnansweredError):
            for part in client.run_events(app.state, run, seq):
                if is_over():
                    return
                if isinstance(part, dict):
                    event = EVENT.validate_python(part)
                    seq = event.seq
                    yield event
            return
    for each in _here(app, is_over, seq, run):
        yield each
        if ends(each, "run"):
            return


def _here(
    app: VaultState, is_over: Callable[[], bool], seq: int, run: str | None = None
) -> Generator[BaseEvent]:
    """Yield the events that are kept, then those of work in this or another process."""
    while not is_over():
        found = app.events.stored(seq, run=run)
        for event in found:
            seq = event.seq
            yield event
        if run is not None and not found and app.writer() is None:  # nobody works on it
            return
        time.sleep(_AGAIN)
