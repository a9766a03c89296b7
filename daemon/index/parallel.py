"""Read and parse many files on all cores: child processes parse while this one writes.

A child takes a while to start, so a few files are read here. Children have no state: if one dies or
fails, its files are read here. They are subprocesses and not forks, as the daemon has threads;
`multiprocessing` would load the parent's program in them, and leave them behind if the parent were
killed.
"""

import logging
import os
import pickle
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from queue import Empty, SimpleQueue

from daemon.index.parse import UNREAD, Parsed, Wanted, parse_file
from daemon.index.parse_child import Child, Event
from daemon.index.parse_worker import pack, unpack
from daemon.ports import Stop
from vault_adapters.base import VaultAdapter

_log = logging.getLogger(__name__)

_MAX_CHILDREN = 2  # enough to keep the writing process busy
_MANY = 1_000  # notes in a folder from which children pay off, whatever their content
# bytes to read from which children pay off: they take half a second or more to start
_WORTH_IT = 1_500_000
_A_FILE = 1_000  # overhead of each file, in bytes
_FILES, _BYTES = 50, 500_000  # of one share, the files that are read together
_HEAD_START = 6  # shares that are read here while the children start
_ASKED = 12  # shares queued for a child, so that it need not wait while this process writes
_LARGE = (
    500_000  # bytes of a file that a child parses, even alone: parsing it cannot be interrupted
)
_POLL_SECONDS = 0.1  # how often a stop is checked for while a child parses
_AHEAD, _BYTES_AHEAD = 32, 16_000_000  # shares, and bytes, that are read before they can be written

Share = tuple[list[Wanted], list[Parsed]]


def default_children(files: Sequence[Wanted]) -> int:
    """Return how many children pay off for these files: none for few, or on a single core.

    Large files need one: unlike this process, it can be killed in the middle of a file.
    """
    is_worth_it = sum(wanted.file.size + _A_FILE for wanted in files) >= _WORTH_IT
    return max(max_children() if is_worth_it else 0, int(any(map(_is_large, files))))


def max_children() -> int:
    """Return how many children this machine has cores for, besides the writing process."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min((cores or 1) - 1, _MAX_CHILDREN)


def holds_many(folder: Path) -> bool:
    """Return whether a folder has so many notes that reading them with children pays off."""
    found = 0
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += sum(name.endswith(".md") for name in names)
        if found >= _MANY:
            return True
    return False


class Children:
    """The parsing children of one scan of a vault. They must be stopped."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self.all: list[Child] = []
        self.events: SimpleQueue[Event] = SimpleQueue()

    def start(self, number: int) -> None:
        """Start this many, or fewer if that is impossible."""
        try:
            while len(self.all) < number:
                self.all.append(Child(self.events, self._vault))
        except OSError as error:
            _log.info("parsing files in a single process: %s", error)

    def close(self) -> None:
        """Kill them, whatever they are doing."""
        for child in self.all:
            child.end()
        self.all.clear()


def parse_files(
    adapter: VaultAdapter,
    files: Sequence[Wanted],
    number: int | None = None,
    children: Children | None = None,
    halt: Stop | None = None,
) -> Generator[Share, None, None]:
    """Yield the content of files, one share at a time and in order.

    Without a `number` of children, starts as many as pay off; `children` may have been started
    earlier, which takes a while, before the files to read were known. Must be closed if it is not
    exhausted, or the children continue. Raises StoppedError between two files, or while a child
    parses.
    """
    shares = list(_cut(files))
    children = children or Children(adapter.root)
    run = _Run(adapter, shares, children, halt or Stop())
    try:
        run.start(default_children(files) if number is None else number)
        for at, share in enumerate(shares):
            yield share, run.get(at)
    finally:
        children.close()


def _is_large(wanted: Wanted) -> bool:
    return wanted.file.size >= _LARGE and wanted.file.role not in UNREAD


def _cut(files: Sequence[Wanted]) -> Iterator[list[Wanted]]:
    """Split files into shares; a large file is a share of its own."""
    share: list[Wanted] = []
    size = 0
    for wanted in files:
        if share and _is_large(wanted):
            yield share
            share, size = [], 0
        share.append(wanted)
        size += wanted.file.size
        if len(share) >= _FILES or size >= _BYTES:
            yield share
            share, size = [], 0
    if share:
        yield share


class _Run:
    """Shares being parsed, here and by children."""

    def __init__(
        self,
        adapter: VaultAdapter,
        shares: Sequence[list[Wanted]],
        children: Children,
        halt: Stop,
    ) -> None:
        self._adapter = adapter
        self._halt = halt
        self._children: Sequence[Child] = ()
        self._started = children
        self._shares = shares
        sizes = (sum(wanted.file.size for wanted in share) for share in shares)
        self._begins = [0, *accumulate(sizes)]  # per share, how many bytes precede it
        self._done: dict[int, list[Parsed]] = {}
        self._asked: set[int] = set()  # of children, and still expected
        self._next = 0  # the first that nobody has taken yet
        self._events = children.events

    def start(self, number: int) -> None:
        """Start children; if that is impossible, everything is done here."""
        if number < 1:
            return
        try:
            adapter = pack(self._adapter)
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            _log.info("parsing files in a single process: %s", error)
            return
        self._started.start(number)
        self._children = self._started.all
        for child in self._children:
            child.send_adapter(adapter)
        self._next = min(_HEAD_START, len(self._shares)) if self._children else 0

    def get(self, number: int) -> list[Parsed]:
        """Return the content of a share; meanwhile parse here instead of waiting."""
        while number not in self._done:
            self._collect()
            self._ask(number)
            mine = self._next_own(number)
            if mine is not None:
                self._done[mine] = self._parse(mine)
            elif number not in self._done:
                self._wait()
        return self._done.pop(number)

    def _parse(self, number: int) -> list[Parsed]:
        parsed = []
        for file in self._shares[number]:
            self._halt.check()
            parsed.append(parse_file(self._adapter, file))
        return parsed

    def _wait(self) -> None:
        """Wait a moment for an answer."""
        self._halt.check()
        with suppress(Empty):
            self._take(self._events.get(timeout=_POLL_SECONDS))

    def _next_own(self, number: int) -> int | None:
        """Choose a share to parse here: the due one, if nobody works on it, or one ahead."""
        if number in self._done:
            return None
        if number not in self._asked:
            self._next = max(self._next, number + 1)
            return None if self._hand_over(number) else number
        if self._is_next(number):
            self._next += 1
            return None if self._hand_over(self._next - 1) else self._next - 1
        # At the end, take over the last share in a child's queue.
        last = max(self._asked)
        if self._next < len(self._shares) or last == number or self._is_large(last):
            return None
        self._asked.remove(last)
        return last

    def _hand_over(self, number: int) -> bool:
        """Have a child parse a share that is one large file; return whether one does."""
        able = [child for child in self._children if not child.is_gone]
        if not able or not self._is_large(number):
            return False
        self._ask_child(min(able, key=lambda child: len(child.asked)), number)
        return True

    def _is_large(self, number: int) -> bool:
        return _is_large(self._shares[number][0])

    def _ask_child(self, child: Child, number: int) -> None:
        self._asked.add(number)
        child.ask(number, pack(self._shares[number]))

    def _is_next(self, number: int) -> bool:
        """Return whether the next share may be taken before this one is written."""
        if self._next >= min(len(self._shares), number + _AHEAD):
            return False
        return self._begins[self._next] - self._begins[number] < _BYTES_AHEAD

    def _ask(self, number: int) -> None:
        for child in self._children:
            while len(child.asked) < _ASKED and not child.is_gone and self._is_next(number):
                self._ask_child(child, self._next)
                self._next += 1

    def _collect(self) -> None:
        while not self._events.empty():
            self._take(self._events.get())

    def _take(self, event: Event) -> None:
        """Take an answer; what a child does not answer is parsed here when it is due."""
        child, answer = event
        if answer is None:
            child.is_gone = True
            self._asked.difference_update(child.asked)
            _log.info("a parsing process died; its files are parsed in the main process")
            return
        number = child.asked.popleft()
        if number in self._asked:
            self._asked.remove(number)
            if (parsed := unpack(answer, self._shares[number])) is not None:
                self._done[number] = parsed
