"""The whole pipeline on a copy of the sample vault, without touching the user's data."""

import shutil
import sys
from pathlib import Path

import click

from daemon.cli.agenda import show_tasks
from daemon.cli.logs import log_to_stderr
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.progress import progress
from daemon.cli.research import show_run
from daemon.cli.session import stoppable
from daemon.model.wording import counted
from daemon.usecases.agendas import Agenda
from daemon.usecases.demo import Demo, IndexedLibrary, IndexedVault, Result, opened_demo
from daemon.usecases.health import Health
from daemon.usecases.research import RunDocument


@click.command()
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=Path("lacuna-demo"),
    show_default=True,
    help="Folder to create; replaces an earlier demo.",
)
@common
def demo(options: Options, *, into: Path) -> None:
    """Run the whole pipeline on a copy of the sample vault.

    Uses its own vault, settings and state; of the common options, only --json applies.
    """
    log_to_stderr("error")
    with opened_demo(into.absolute()) as opened:
        _run(opened, options)
    if not options.json:
        _show_next(into, opened.inbox)


def _run(opened: Demo, options: Options) -> None:
    """Run the pipeline once, reporting each step when it is done."""
    with stoppable() as stop, progress() as bars:
        for result in opened.run(stop, bars.show_counts):
            bars.close()
            if not options.json:
                _show(result)
            elif isinstance(result, RunDocument):
                emit(result.as_json())


def _show(result: Result) -> None:
    match result:
        case IndexedVault():
            counts = ((result.notes, "note"), (result.links, "link"), (result.chunks, "chunk"))
            say(f"Indexed {', '.join(counted(*each) for each in counts)}.")
        case IndexedLibrary():
            say(f"Library: {counted(result.documents, 'document')}.")
        case Health():
            say(
                f"Health: {counted(len(result.isolated), 'orphan')},"
                f" {counted(len(result.unresolved), 'unresolved link')},"
                f" {counted(len(result.gaps), 'gap')} worth researching,"
                f" {counted(len(result.clusters), 'cluster')}:"
            )
            for cluster in result.clusters:
                say(f"  {cluster.label} ({counted(len(cluster.notes), 'note')}, {cluster.kind})")
        case Agenda():
            say("\nQuestions:")
            show_tasks(result.tasks)
        case RunDocument():
            say("\nSources:")
            show_run(result)


def _show_next(into: Path, inbox: Path) -> None:
    lacuna = _command_prefix()
    config = f"--config {_quoted(into / 'config.toml')}"
    say(f"\nThe notes are in {inbox}")
    say("Open the vault in Obsidian (or any editor), read them, and tick Accept or Dismiss.")
    say("\nNext commands:")
    say(f"  {lacuna} findings {config}")
    say(f"  {lacuna} health {config}")
    say(f"  {lacuna} search {config} 'why does bread go stale'")
    say(f"  {lacuna} run {config}      the daemon: applies what you tick")
    say(f"  {lacuna} init ~/YourVault      to use it on your own notes")


def _command_prefix() -> str:
    """Return the command as typed: by name if that finds this program."""
    called = Path(sys.argv[0])
    found = shutil.which("lacuna")
    if called.name != "lacuna" or (found and Path(found).resolve() == called.resolve()):
        return "lacuna"
    return _quoted(called) if called.is_file() else "lacuna"


def _quoted(path: Path) -> str:
    return f"'{path}'" if " " in str(path) else str(path)
