"""Call the user's event hooks for what the event stream announces.

Hooks run one after the other, on a thread of their own. The next process
continues where this one ended.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from daemon.model.errors import HookError, StoreError
from daemon.model.event import Announcement, BaseEvent
from daemon.model.hook_event import FILTERING, HookEvent
from daemon.ports import Hook, Hooks
from daemon.store.announcements import AnnouncementStore, TakenError, Unread

_log = logging.getLogger(__name__)
_NAME = "hooks"  # its position in the stream
_EVENTS = {event.value: event for event in HookEvent if event not in FILTERING}


class HookReader:
    """A reader of the event stream. `failed` is called with each hook that failed, and why.

    A hook is begun once: it is recorded in the transaction in which its process is started, so a
    kill neither skips it nor starts it again.
    """

    def __init__(
        self,
        store: AnnouncementStore,
        hooks: Hooks,
        *,
        seconds: float,
        failed: Callable[[str, str], None] = lambda _hook, _why: None,
    ) -> None:
        self._store = store
        self._hooks = hooks
        self._failed = failed
        self._seconds = seconds
        self._thread: threading.Thread | None = None
        self._guard = threading.Lock()
        self._is_asked = False
        self._ends = float("inf")  # of the monotonic clock, in seconds

    def read(self, event: BaseEvent) -> None:
        """Continue reading, if this is an announcement."""
        if isinstance(event, Announcement):
            self.wake()

    def wake(self) -> None:
        """Read what is new in the background; never raises."""
        if not any(map(self._hooks.for_event, _EVENTS.values())):
            with suppress(StoreError):
                self._store.skip_all(_NAME)  # a hook that is set up later gets later events only
            return
        with self._guard:
            self._is_asked = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="hooks", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Wait for hooks, together as long as one call may take."""
        self._ends = time.monotonic() + self._seconds
        with self._guard:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._guard:
                if not self._is_asked:
                    self._thread = None
                    return
                self._is_asked = False
            try:
                while not self._is_late() and self._take_next():
                    pass
            except StoreError as error:
                _log.warning("could not read events for hooks: %s", error)

    def _take_next(self) -> bool:
        """Run the next hook; return whether there was one."""
        unread = self._store.next(_NAME)
        if unread is None:
            return False
        event = _EVENTS.get(unread.event.event) if unread.event is not None else None
        hooks = self._hooks.for_event(event) if event is not None else ()
        with suppress(TakenError):
            if unread.event is None or unread.part >= len(hooks):
                with self._store.claim(_NAME, unread, is_whole=True):
                    pass
            else:
                self._run(hooks[unread.part], unread, unread.event)
        return True

    def _run(self, hook: Hook, unread: Unread, event: Announcement) -> None:
        claim = self._store.claim(_NAME, unread, is_whole=False)
        body = {"id": unread.id, **event.body}
        try:
            hook.ask(body, self._is_late, starting=claim)
        except HookError as error:
            name = f"{event.event} {hook.name}"
            _log.warning("hook %s: %s", name, error, extra={"hook": name})
            self._failed(name, str(error))

    def _is_late(self) -> bool:
        return time.monotonic() >= self._ends
