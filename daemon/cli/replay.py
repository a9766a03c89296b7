"""Replay a run's notes."""

import sys
from pathlib import Path

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.progress import patience
from daemon.cli.session import opened
from daemon.usecases.replay import ReplayRequest
from daemon.usecases.replay import replay as replay_run
from daemon.usecases.writer import report_to


@click.command()
@click.argument("run")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="An empty folder outside the vault.  [default: one in the state folder]",
)
@common
def replay(options: Options, *, run: str, into: Path | None) -> None:
    """Recreate a run's notes without a network, byte for byte.

    RUN is the `run` property of a finding or a digest, or the start of it. Exit code 1: a note
    differs.
    """
    with opened(options) as app, patience(f"judging the documents of {run} again") as show:
        found = replay_run(app, ReplayRequest(run=run), into, report_to(show))
    if options.json:
        emit(found.as_json())
    else:
        for note in found.notes:
            say(f"{'identical' if note.identical else 'DIFFERENT'}  {note.path}")
    if not all(note.identical for note in found.notes):
        sys.exit(1)
