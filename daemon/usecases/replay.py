"""Replay a run's notes from its record."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import Field

from daemon.app import App
from daemon.cycle.late_research import research
from daemon.model.errors import LacunaError
from daemon.model.progress import Progress
from daemon.store.reporter import SILENT, Reporter
from daemon.usecases.command import Command, Work
from daemon.usecases.document import Document, Request
from daemon.usecases.runs import RunId


class ReplayRequest(Request):
    """Which run to replay."""

    run: RunId


class ReplayedNote(Document):
    """A note that a replay made, and whether it is the same as before."""

    path: str = Field(description="Path of the new note.")
    identical: bool = Field(description="Whether it is the same as the first time, byte for byte.")


class Replay(Document):
    """The result of a replay."""

    run: Annotated[str, Field(description="The run, as it was asked for.")]
    notes: tuple[ReplayedNote, ...] = Field(description="The notes that the replay made.")


def replay(
    app: App,
    request: ReplayRequest,
    into: Path | None = None,
    report: Reporter = SILENT,
    in_turns: Callable[[Progress], Progress] = lambda progress: progress,
) -> Replay:
    """Replay a run's notes from its record, without network, into a folder of the state.

    `into` is another folder: empty, and outside the vault. `in_turns` wraps what reports progress.
    Raises LacunaError for a folder in which something could be overwritten.
    """
    if into is not None:
        _refuse(into.absolute(), app.adapter.root)
    target = into or app.state / "replays" / Path(request.run).name
    with report.step("judge") as progress:
        written = research.replay_notes(app.stores.runs, request.run, target, in_turns(progress))
    notes = tuple(ReplayedNote(path=str(path), identical=same) for path, same in written)
    return Replay(run=request.run, notes=notes)


def _refuse(into: Path, vault: Path) -> None:
    if into.resolve().is_relative_to(vault.resolve()):
        raise LacunaError(f"{into} is in the vault: give a folder outside it")
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise LacunaError(f"{into} is not an empty folder: give another --into")


def _at_once(work: Work, request: ReplayRequest) -> Replay:
    return replay(work.app, request, report=work.report, in_turns=work.in_turns)


REPLAY = Command(
    name="replay",
    request=ReplayRequest,
    document=Replay,
    carry_out=_at_once,
    needs_sync=False,
)
