"""Run the whole pipeline on a copy of the sample vault, apart from the user's data."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import tomlkit
from pydantic import Field

from daemon.app import App
from daemon.composition import open_app
from daemon.config import load_settings, packaged
from daemon.model.clock import now
from daemon.model.errors import LacunaError
from daemon.model.event import BaseEvent
from daemon.ports import Stop
from daemon.usecases.agendas import Agenda, AgendaRequest, agenda
from daemon.usecases.command import Work
from daemon.usecases.document import Document
from daemon.usecases.health import Health, health
from daemon.usecases.research import ResearchRequest, RunDocument, research

_MARK = ".lacuna-demo"  # marks a folder that a demo may replace


class IndexedVault(Document):
    """The index of the sample vault."""

    notes: int = Field(description="Number of notes.")
    links: int = Field(description="Number of links between notes.")
    chunks: int = Field(description="Number of passages of the notes.")


class IndexedLibrary(Document):
    """The index of the sample library."""

    documents: int = Field(description="Number of documents.")


Result = IndexedVault | IndexedLibrary | Health | RunDocument | Agenda
"""What each step of a demo yields."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A copy of the samples that was opened; `config` is its settings file, `inbox` a folder."""

    config: Path
    inbox: Path
    _app: App

    def run(self, stop: Stop, listen: Callable[[BaseEvent], None]) -> Iterator[Result]:
        """Run each step of the pipeline, and yield its result; `listen` gets the events.

        Raises LacunaError, VaultError.
        """
        app, events = self._app, self._app.report
        listened = partial(app.events.read_by, listen)
        with app.writing("lacuna demo"):
            with listened():
                synced = app.index.knowledge.sync(now=now(), progress=events.progress, stop=stop)
                events.end_counted()
            yield IndexedVault(notes=synced.notes, links=synced.links, chunks=synced.chunks)
            if app.index.library is not None:
                with listened(), events.step("library") as counted:
                    app.index.library.update(progress=counted, stop=stop)
                yield IndexedLibrary(documents=app.index.library.progress().counts.documents)
            with listened(), events.step("analysis") as stages:
                found = health(app, now=now(), progress=stages)
            yield found
            with listened():
                made = research(Work(app, now(), stop, events), ResearchRequest())
            yield agenda(app, AgendaRequest(id=made.agenda))
            yield made


@contextmanager
def opened_demo(folder: Path) -> Iterator[Demo]:
    """Copy the samples into `folder`, and open the copy.

    Raises LacunaError if the folder contains something of the user's.
    """
    config = _copy_sample(folder)
    settings = load_settings(config, environ={})
    app = open_app(settings, config=config)
    try:
        yield Demo(config, folder / "vault" / settings.inbox.folder, app)
    finally:
        app.close()


def _copy_sample(folder: Path) -> Path:
    """Copy the samples; return the settings file written there. Raises LacunaError."""
    if folder.exists() and not (folder / _MARK).is_file():
        raise LacunaError(f"{folder} already exists and is not from a demo; give another --into")
    config = folder / "config.toml"
    places = {"vault": "vault", "state": "state", "library": {"folder": "library"}}  # beside it
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
