"""The self-check: each look says what is so, and what to type where it is not well."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from daemon.app import App, open_keys
from daemon.config import DEFAULT_MODEL, config_path, odd_variables
from daemon.model.errors import LacunaError, SourceError, StoreError
from vault_adapters.base import VaultError

_WATCH_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
_LOW_DISK_BYTES = 500_000_000
_EARLIEST_YEAR = 2026  # a clock before this program was written is wrong
_SHOWN = 5


class Verdict(StrEnum):
    """How a look turned out; what is off could be on, and need not be."""

    OK = "ok"
    OFF = "off"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """What one look showed. `hint` is what to type, or empty."""

    name: str
    verdict: Verdict
    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Scene:
    """What the looks look at."""

    app: App
    now: datetime
    config: Path | None


def examine(app: App, *, now: datetime, config: Path | None = None) -> list[Check]:
    """Look at everything the daemon stands on; changes nothing, and asks nothing of the network."""
    looks: tuple[Callable[[_Scene], Iterator[Check]], ...] = (
        _python, _settings, _vault, _inbox, _state, _index, _watches, _model, _sources, _keys,
        _daemon, _clock,
    )  # fmt: skip
    scene = _Scene(app, now, config)
    return [check for look in looks for check in look(scene)]


def not_opened(error: LacunaError | VaultError) -> list[Check]:
    """Say what kept the vault from being opened at all."""
    kinds = {VaultError: "vault", StoreError: "state", SourceError: "sources"}
    name = next((name for kind, name in kinds.items() if isinstance(error, kind)), "settings")
    hint = "lacuna init VAULT" if isinstance(error, VaultError) else ""
    return [_interpreter(), Check(name, Verdict.FAIL, str(error), hint)]


def _python(_scene: _Scene) -> Iterator[Check]:
    yield _interpreter()


def _interpreter() -> Check:
    return Check("python", Verdict.OK, f"{sys.version.split()[0]} ({sys.executable})")


def _settings(scene: _Scene) -> Iterator[Check]:
    path = scene.config or config_path()
    there = str(path) if path.is_file() else f"all defaults: there is no {path}"
    yield Check("settings", Verdict.OK, there)
    for variable in odd_variables():
        yield Check("settings", Verdict.WARN, f"no setting is called {variable}")


def _vault(scene: _Scene) -> Iterator[Check]:
    try:
        scan = scene.app.adapter.scan()
    except VaultError as error:
        yield Check("vault", Verdict.FAIL, str(error), "lacuna init VAULT")
        return
    what = f"{scene.app.adapter.root} ({scene.app.adapter.name}, {len(scan.files)} files)"
    yield Check("vault", Verdict.OK, what)
    troubles = {entry.path: entry.why for entry in scan.unreadable}
    troubles |= scene.app.stores.notes.troubles()
    for path, why in sorted(troubles.items())[:_SHOWN]:
        yield Check("vault", Verdict.WARN, f"{path}: {why}")
    if len(troubles) > _SHOWN:
        yield Check("vault", Verdict.WARN, f"and {len(troubles) - _SHOWN} more", "lacuna index")


def _inbox(scene: _Scene) -> Iterator[Check]:
    root = scene.app.adapter.root
    folder = root / scene.app.settings.inbox
    on_the_way = [folder, *folder.parents[: len(folder.parents) - len(root.parents) - 1]]
    nearest = next(path for path in (*on_the_way, root) if path.is_symlink() or path.exists())
    if nearest != root and nearest.is_symlink():
        yield Check("inbox", Verdict.FAIL, f"{nearest} is a link, and is not written through")
    elif not nearest.is_dir():
        yield Check("inbox", Verdict.FAIL, f"{nearest} is a file, not a folder")
    elif os.access(nearest, os.W_OK | os.X_OK):
        yield Check("inbox", Verdict.OK, str(folder))
    else:
        what = f"nothing can be written to {nearest}"
        yield Check("inbox", Verdict.FAIL, what, f"chmod u+wx '{nearest}'")


def _state(scene: _Scene) -> Iterator[Check]:
    state = scene.app.state
    free = shutil.disk_usage(state).free
    verdict = Verdict.OK if free > _LOW_DISK_BYTES else Verdict.WARN
    yield Check("state", verdict, f"{state}, {free // 1_000_000} MB free")


def _index(scene: _Scene) -> Iterator[Check]:
    store = scene.app.stores.notes
    notes, _links, _unresolved, chunks = store.counts()
    missing = len(store.embeddings.missing(scene.app.embedder.model))
    if not notes:
        yield Check("index", Verdict.WARN, "nothing is indexed yet", "lacuna index")
    elif missing:
        what = f"{missing} of {chunks} chunks are not embedded yet"
        yield Check("index", Verdict.WARN, what, "lacuna index")
    else:
        yield Check("index", Verdict.OK, f"{notes} notes, {chunks} chunks")


def _watches(scene: _Scene) -> Iterator[Check]:
    if not _WATCH_LIMIT.is_file():
        return
    limit = int(_WATCH_LIMIT.read_text())
    folders = sum(1 for _ in os.walk(scene.app.adapter.root))
    if folders * 2 < limit:
        yield Check("watching", Verdict.OK, f"{folders} folders, {limit} watches allowed")
    else:
        hint = "sudo sysctl fs.inotify.max_user_watches=524288"
        yield Check("watching", Verdict.WARN, f"{folders} folders, only {limit} watches", hint)


def _model(scene: _Scene) -> Iterator[Check]:
    name = scene.app.settings.model
    try:
        place = scene.app.model_place()
        if place is None:
            what = f"{name} is not on this machine: the next `lacuna index` downloads it"
            hint = "pip install 'lacuna-daemon[offline]'" if name == DEFAULT_MODEL else ""
            yield Check("model", Verdict.WARN, what, hint)
            return
        vectors = scene.app.embedder.embed(["a gap in a manuscript"])
    except LacunaError as error:
        yield Check("model", Verdict.FAIL, str(error))
        return
    what = f"{name}, {vectors.shape[1]} dimensions, from the {place}"
    yield Check("model", Verdict.OK, what)


def _sources(scene: _Scene) -> Iterator[Check]:
    app = scene.app
    for name in app.sources:
        library = app.settings.library if app.registry[name].type == "library" else None
        if library is not None and not library.is_dir():
            yield Check("source", Verdict.FAIL, f"{name}: there is no folder {library}")
        else:
            yield Check("source", Verdict.OK, f"{name}{f': {library}' if library else ' is on'}")
    if not app.sources:
        yield Check("source", Verdict.WARN, "none is on: nothing can be researched")
    others = [name for name, _ in app.sources_left_out]
    if "library" in others and app.settings.library is None:
        others.remove("library")
        hint = f"lacuna init '{app.adapter.root}' --library FOLDER"
        yield Check("source", Verdict.OFF, "library: no folder of unread documents is set", hint)
    if others:
        what = f"{len(others)} more: {', '.join(others)}"
        yield Check("source", Verdict.OFF, what, "lacuna sources list (says why, and what to do)")


def _keys(scene: _Scene) -> Iterator[Check]:
    keys = open_keys(scene.config)
    kept = [f"{name} ({place})" for name in keys.names if (place := keys.secrets.where(name))]
    if kept:
        yield Check("keys", Verdict.OK, ", ".join(kept))
    trouble = next(filter(None, map(keys.trouble, keys.names)), "")
    if trouble:
        what = f"{trouble.partition(':')[0]}: keys can only be in the environment"
        yield Check("keys", Verdict.OFF, what)


def _daemon(scene: _Scene) -> Iterator[Check]:
    holder = scene.app.writer()
    if holder:
        yield Check("daemon", Verdict.OK, holder)
    else:
        hint = "lacuna run, or for good: lacuna service install"
        yield Check("daemon", Verdict.WARN, "not running", hint)


def _clock(scene: _Scene) -> Iterator[Check]:
    verdict = Verdict.OK if scene.now.year >= _EARLIEST_YEAR else Verdict.FAIL
    yield Check("clock", verdict, f"{scene.now.astimezone():%Y-%m-%d %H:%M %Z}")
