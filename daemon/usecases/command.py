"""A command: a request that changes something, carried out by the one writer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from daemon.app import App
from daemon.model.progress import Progress
from daemon.ports import Stop
from daemon.store.reporter import SILENT, Reporter
from daemon.usecases.document import Document, Request

R = TypeVar("R", bound=Request)
D = TypeVar("D", bound=Document)


@dataclass(frozen=True, slots=True)
class Work:
    """What a command needs besides its request.

    `made` is the id of the agenda that its first worker, now dead, made for it, if any; `keep`
    takes the id of a new one, in the transaction that stores the agenda. `report` writes the events
    of the work; `meanwhile` is called while it waits.
    """

    app: App
    now: datetime
    stop: Stop
    report: Reporter = SILENT
    made: str | None = None
    keep: Callable[[str], None] = lambda _agenda: None
    meanwhile: Callable[[], None] = lambda: None

    def in_turns(self, progress: Progress) -> Progress:
        """Return a function that reports progress, and then lets others have their turn.

        Raises StoppedError.
        """

        def report(done: int, total: int, what: str) -> None:
            progress(done, total, what)
            self.meanwhile()
            self.stop.check()

        return report


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Generic[R, D]):
    """A command by its name, with the models of its request and its document.

    One that `makes_agenda` makes no second one when it is repeated after a crash. The other flags
    say what a writer other than the daemon does first: update the index (`needs_sync`) and embed it
    (`needs_embeddings`), index the library (`needs_library`).
    """

    name: str
    request: type[R]
    document: type[D]
    carry_out: Callable[[Work, R], D]
    makes_agenda: bool = False
    makes_notes: bool = False
    needs_sync: bool = True
    needs_embeddings: bool = False
    needs_library: bool = False
    is_about_the_model: bool = False
    is_for_work_in_progress: bool = False  # carried out by the process that does that work
