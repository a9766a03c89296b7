"""The whole pipeline on a copy of the sample vault, without touching the user's data."""

import shutil
import sys
from pathlib import Path

import click
import tomlkit

from daemon.app import App, now
from daemon.cli.agenda import show_tasks
from daemon.cli.options import Options, common
from daemon.cli.output import emit, log_to_stderr, say
from daemon.cli.progress import progress
from daemon.cli.research import show_run
from daemon.cli.session import stoppable
from daemon.composition import open_app
from daemon.config import load_settings, packaged
from daemon.model.errors import LacunaError
from daemon.usecases.agendas import AgendaRequest, agenda
from daemon.usecases.command import Work
from daemon.usecases.research import ResearchRequest, RunDocument, research

_MARK = ".lacuna-demo"  # marks a folder that a demo may replace


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
    folder = into.absolute()
    config = _lay_out(folder)
    log_to_stderr("error")
    settings = load_settings(config, environ={})
    app = open_app(settings, config=config)
    try:
        with app.writing("lacuna demo"):
            found = _run(app, options)
    finally:
        app.close()
    if options.json:
        emit(found.as_json())
    else:
        _tell_next(into, folder / "vault" / settings.inbox.folder)


def _run(app: App, options: Options) -> RunDocument:
    """Run the pipeline once, reporting each step when it is done."""
    told = (lambda _line="": None) if options.json else say
    events = app.report
    with stoppable() as stop, progress() as bars, app.events.read_by(bars.show_counts):
        report = app.knowledge.sync(now=now(), progress=events.progress, stop=stop)
        events.end_counted()
        bars.close()
        told(f"Indexed {report.notes} notes, {report.links} links, {report.chunks} chunks.")
        if app.library is not None:
            with events.step("library") as counted:
                app.library.update(progress=counted, stop=stop)
            bars.close()
            told(f"Library: {app.library.standing().counts.documents} documents.")
        health = app.knowledge.analysis.health(now())
        told(
            f"Health: {len(health.isolated)} notes without any link,"
            f" {len(health.unresolved)} unresolved links,"
            f" {len(health.gaps)} gaps worth researching, {len(health.clusters)} clusters:"
        )
        for cluster in health.clusters:
            told(f"  {cluster.label} ({len(cluster.notes)} notes, {cluster.kind})")
        found = research(Work(app, now(), stop, events), ResearchRequest())
    if not options.json:
        planned = agenda(app, AgendaRequest(id=found.agenda))
        say("\nQuestions:")
        show_tasks(planned.tasks)
        say("\nSources:")
        show_run(found)
    return found


def _lay_out(folder: Path) -> Path:
    """Copy the samples into `folder` and return the settings file written there.

    Raises LacunaError if the folder contains something of the user's.
    """
    if folder.exists() and not (folder / _MARK).is_file():
        raise LacunaError(f"{folder} already exists and is not from a demo; give another --into")
    config = folder / "config.toml"
    places = {name: name for name in ("vault", "state", "library")}  # next to the settings
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / _MARK).touch()
        shutil.copytree(packaged("sample_vault"), folder / "vault")
        shutil.copytree(packaged("sample_library"), folder / "library")
        config.write_text(tomlkit.dumps(places), encoding="utf-8")
    except OSError as error:
        raise LacunaError(f"{error.filename or folder}: {error.strerror}") from None
    return config


def _tell_next(into: Path, inbox: Path) -> None:
    lacuna = _as_typed()
    config = f"--config {_quoted(into / 'config.toml')}"
    say(f"\nThe notes are in {inbox}")
    say("Open the vault in Obsidian (or any editor), read them, and tick Accept or Dismiss.")
    say("\nNext commands:")
    say(f"  {lacuna} findings {config}")
    say(f"  {lacuna} health {config}")
    say(f"  {lacuna} search {config} 'why does bread go stale'")
    say(f"  {lacuna} run {config}      the daemon: applies what you tick")
    say(f"  {lacuna} init ~/YourVault      to use it on your own notes")


def _as_typed() -> str:
    """Return the command as typed: by name if that finds this program."""
    called = Path(sys.argv[0])
    found = shutil.which("lacuna")
    if called.name != "lacuna" or (found and Path(found).resolve() == called.resolve()):
        return "lacuna"
    return _quoted(called) if called.is_file() else "lacuna"


def _quoted(path: Path) -> str:
    return f"'{path}'" if " " in str(path) else str(path)
