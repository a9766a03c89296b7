"""The user's hooks that filter while a run gathers."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from daemon.model.agenda import Task
from daemon.model.evidence import Document, Flag
from daemon.model.hook_event import HookEvent, Verdict
from daemon.ports import Stop
from daemon.research.dedup import Offer
from daemon.research.hook_filters import Filters, hits_of, left_in, reading_of
from daemon.store.evidence import RunFolder

_HOOKS_AT_ONCE = 2


class Hooked:
    """The user's hooks, run once for each moment; their answers are stored.

    They run in a few threads of their own, but their answers are stored on this one: when a run is
    stopped, answers after that do not count.
    """

    def __init__(self, filters: Filters | None, folder: RunFolder, stop: Stop) -> None:
        self._filters = filters
        self._folder = folder
        self._stop = stop
        self._is_left = False
        self._threads = ThreadPoolExecutor(_HOOKS_AT_ONCE, "hook")  # started when needed

    def exclude_rest(self) -> None:
        """Stop waiting for hooks."""
        self._is_left = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _is_over(self) -> bool:
        return self._stop.is_requested or self._is_left

    async def _call_hooks(self, ask: Callable[[Callable[[], bool]], Verdict]) -> Verdict:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, ask, self._is_over)

    async def left_in(self, task: Task, found: Sequence[Offer], phase: str) -> list[Offer]:
        moment, filters = hits_of(task.id, phase), self._filters
        if filters and filters.has(HookEvent.POST_DISCOVER) and not self._folder.hooks.get(moment):
            ask = partial(filters.hits, task, found, self._folder.id)
            self._folder.hooks.keep(moment, await self._call_hooks(ask))
        return left_in(found, task.id, self._folder)

    async def read(self, document: Document, flags: Sequence[Flag]) -> None:
        moment, filters = reading_of(document.id), self._filters
        if filters and filters.has(HookEvent.POST_EXTRACT) and not self._folder.hooks.get(moment):
            ask = partial(filters.document, document, flags, self._folder.id)
            self._folder.hooks.keep(moment, await self._call_hooks(ask))
