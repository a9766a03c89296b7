"""The progress of a call to a model, in lines for the user."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from daemon.model.language_models import Usage
from daemon.model.wording import counted
from daemon.models.limits import Queued

_BETWEEN = 5.0  # seconds between two lines of a call that runs
_CHARACTERS_A_TOKEN = 4
_KEPT, _TAIL = 100, 40  # characters of an answer that are kept, and shown
_FORM = re.compile(r'"\w+":|[\[\]{}"]')


class Live:
    """One call: its place in the queue, how long it runs, its tokens and the tail of its text."""

    def __init__(
        self, who: str, on_event: Callable[[str], None], on_text: Callable[[str], None] | None
    ) -> None:
        self.who = who
        self._on_event = on_event
        self._on_text = on_text
        self.has_begun = False  # whether anything may have been sent
        self._began = 0.0
        self._length = 0
        self._tail = ""

    def queued(self, state: Queued) -> None:
        """Report where in the queue the call is."""
        if state.is_running:
            self._on_event(f"{self.who} is running")
        elif state.seconds:
            self._on_event(f"{self.who} in {state.seconds:.0f} s")
        else:
            before = f"after {state.place} others" if state.place > 1 else "after another call"
            self._on_event(f"{self.who} waits, {before}" if state.place else f"{self.who} is next")

    def text(self, piece: str) -> None:
        """Take a piece of the answer."""
        self._length += len(piece)
        self._tail = f"{self._tail}{piece}"[-_KEPT:]
        if self._on_text is not None:
            self._on_text(piece)

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Report every few seconds how the call goes, for as long as the block lasts."""
        self.has_begun = True
        self._began = asyncio.get_running_loop().time()
        ticking = asyncio.create_task(self._tick())
        try:
            yield
        finally:
            ticking.cancel()

    @property
    def streams(self) -> bool:
        """Whether somebody takes the pieces of the answer."""
        return self._on_text is not None

    def waits(self, seconds: float) -> None:
        """Report that the provider asked for a pause."""
        self._on_event(f"{self.who} continues in {seconds:.0f} s")

    def ended(self, usage: Usage) -> None:
        """Report what the call took."""
        self._on_event(f"{self.who} took {self._elapsed:.1f} s and {usage.total} tokens")

    @property
    def _elapsed(self) -> float:
        return asyncio.get_running_loop().time() - self._began

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_BETWEEN)
            tokens = self._length // _CHARACTERS_A_TOKEN
            count = f"about {counted(tokens, 'token')}"
            suffix = f", {count}: … {_plain(self._tail)}" if tokens else ""
            self._on_event(f"{self.who} has run for {self._elapsed:.0f} s{suffix}")


def _plain(answer: str) -> str:
    """Return the end of an answer without the marks of its form."""
    return " ".join(_FORM.sub(" ", answer).split())[-_TAIL:]
