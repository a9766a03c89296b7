"""The real daemon on a large vault whose index is up to date, for what only it can show."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.embedder import CheapEmbedder
from bench.places import Places
from daemon.composition import open_app
from daemon.config import Settings
from daemon.index.sync import Syncer
from daemon.store.db import Database
from daemon.store.heartbeat import last_beat
from daemon.store.notes import NoteStore

_PATIENCE = 600.0  # seconds
_LOOK_SECONDS = 0.005  # how often what is waited for is looked at


@dataclass(frozen=True, slots=True)
class Running:
    """A daemon at work, and the place of all that it has.

    `guard` is the process that was started: the daemon's parent where Landlock confines that one.
    """

    pid: int
    guard: int
    vault: Path
    state: Path
    config: Path
    notes: NoteStore  # the same database, to look at what has come

    def edit(self, path: str, sentence: str) -> None:
        """Add a sentence to a note, saved as editors do: a new file in place of the old one."""
        file = self.vault / path
        part = file.with_name(f".{file.name}.tmp")
        part.write_text(f"{file.read_text()}\n\n{sentence}\n")
        part.replace(file)

    def is_searchable(self, word: str) -> bool:
        """Return whether a chunk with this word is found, and has its embedding."""
        ids = self.notes.by_words(word, 1)
        hashes = [chunk.hash for chunk in self.notes.chunks_by_id(ids).values()]
        return bool(hashes) and any(
            self.notes.embeddings.used_among(hashes, Settings().embedding.model)
        )


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"never came to pass: {what}")
        time.sleep(_LOOK_SECONDS)


@contextmanager
def running(
    places: Places,
    settings: Mapping[str, Any],
    vault: Path | None = None,
    *,
    with_map: bool = False,
) -> Iterator[Running]:
    """Run `lacuna run` on a copy of a vault, until it watches, and end it afterwards.

    By default that is the large vault with its index, and on request its map; another one starts
    without an index. `settings` are by name, such as `index.debounce_seconds`.
    """
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-", dir=places.cache) as folder:
        home = Path(folder)
        # Links cost no time, and an edit replaces a file by another one.
        source = vault or places.made(places.large)
        shutil.copytree(source, home / "vault", copy_function=shutil.copy2 if vault else os.link)
        if vault is None:
            shutil.copytree(_indexed(places, with_map=with_map), home / "state")
        settings_text = {"vault": str(home / "vault"), "state": str(home / "state"), **settings}
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings_text.items()]
        (home / "config.toml").write_text("\n".join(lines))
        with (home / "log").open("wb") as log, _daemon(home, log.fileno()) as process:
            wait_until(lambda: _watches(home, process), "the daemon")
            db = Database(home / "state" / "lacuna.db")
            pid = int((home / "state" / "daemon.lock").read_text().rpartition(" ")[2])
            places_of = (home / "vault", home / "state", home / "config.toml")
            yield Running(pid, process.pid, *places_of, NoteStore(db))


@contextmanager
def _daemon(home: Path, log: int) -> Iterator["subprocess.Popen[bytes]"]:
    start = "import sys; from lacuna import main; sys.argv[0] = 'lacuna'; main()"
    command = [sys.executable, "-c", start, "run", "--config", str(home / "config.toml")]
    dropped = ("LACUNA_", "PYTHONDONTWRITEBYTECODE")  # without bytecode, every start compiles all
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    process = subprocess.Popen(command, env=kept, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(60)
        process.kill()
        process.wait()


def _watches(home: Path, process: "subprocess.Popen[bytes]") -> bool:
    if process.poll() is not None:
        raise RuntimeError(f"the daemon ended: {(home / 'log').read_text().strip()}")
    beat = last_beat(home / "state")
    return beat is not None and beat.doing.startswith("watching")


def _indexed(places: Places, *, with_map: bool) -> Path:
    """The state of the large vault, made once and kept: embedded cheaply, in the model's name."""
    kept = places.state(places.large).with_name(f"daemon-{places.state(places.large).name}")
    settings = Settings(vault=places.made(places.large), state=kept)
    app = open_app(settings, state=kept, config=kept.with_name("no-config.toml"))
    syncer = Syncer(
        app.adapter,
        app.stores.notes,
        app.index.vectors,
        CheapEmbedder(settings.embedding.model),
        inbox=settings.inbox.folder,
        standings=app.stores.findings.standings,
    )
    syncer.sync(now=datetime.now(UTC))
    app.resume(datetime.now(UTC))  # once for each database: to look for notes of an earlier one
    if with_map:
        app.index.maps.current(datetime.now(UTC))
    app.close()
    return kept
