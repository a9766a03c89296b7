"""The page of the sample vault, with hostile notes, a library and findings, for a whole module."""

import json
import os
import shutil
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from daemon import composition
from daemon.app import App
from daemon.cli.options import Options
from daemon.composition import open_app
from daemon.config import load_settings
from daemon.faces.web.setup_pages import SetupPages
from daemon.model.event import BaseEvent
from daemon.usecases import activities
from daemon.usecases.invoke import Invoker
from daemon.usecases.web_access import code_listener
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.keyring import FakeKeyring
from tests.fakes.only_library import ONLY_LIBRARY
from tests.fakes.web_site import Site, serving

ROOT = Path(__file__).resolve().parents[2]
TOPICS = (
    "when may a tombstone be removed",
    "how do varroa mites travel",
    "what does caffeine do to sleep",
)
HOSTILE_NOTE = "Evil 'note' & co.md"
HOSTILE = """<script>document.title="ran"</script> <img src=x onerror=document.title="ran">
<svg onload=document.title="ran"> [a](javascript:document.title="ran") ![](http://127.0.0.2/p.png)
[[<img src=x onerror=document.title="ran">|"><script>document.title="ran"</script>]]
> [!info] <script>document.title="ran"</script>
> <iframe src="http://127.0.0.2/"></iframe>
sourdough starter
"""
_VARIABLES = ("LACUNA_", "XDG_STATE", "XDG_CONFIG", "XDG_DATA")


@contextmanager
def sample_site(folder: Path, *, hostile: bool = True, finds: bool = True) -> Iterator[Site]:
    """Serve a copy of the sample vault until the end of the block, without a daemon."""
    with pytest.MonkeyPatch.context() as patch:
        _at_home(folder, patch)
        vault = Path(shutil.copytree(ROOT / "sample_vault", folder / "Notes"))
        library = Path(shutil.copytree(ROOT / "sample_library", folder / "Library"))
        _settings(folder, vault, library)
        if hostile:
            (vault / HOSTILE_NOTE).write_text(f"# {HOSTILE}\n\n{HOSTILE}\n[[Missing <b>x</b>]]\n")
        config = folder / ".config/lacuna/config.toml"
        with closing(open_app(load_settings(config), config=config)) as app:

            def follow(is_over: Callable[[], bool], after: int | None) -> Generator[BaseEvent]:
                return activities.follow(app, is_over, after=after)

            use = Invoker(app, print)
            setup = SetupPages(Options(config=config), may_change=True)
            private = partial(_listeners, app)
            with serving(use, follow, private=private, setup=setup) as site:
                if finds:
                    _research(site)
                yield site


def _listeners(app: App, port: int) -> list[socket.socket]:
    return [code_listener(app, port)]


def _at_home(folder: Path, patch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(_VARIABLES)]:
        patch.delenv(name)
    patch.setenv("HOME", str(folder))
    fake = FakeKeyring()
    for name in ("get_password", "set_password", "delete_password"):
        patch.setattr(f"keyring.{name}", getattr(fake, name))
    patch.setattr(
        composition, "_embedder", lambda settings, *_: FakeEmbedder(settings.embedding.model)
    )


def _settings(home: Path, vault: Path, library: Path) -> None:
    folder = home / ".config" / "lacuna"
    folder.mkdir(parents=True)
    text = f"vault = {json.dumps(str(vault))}\nlibrary.folder = {json.dumps(str(library))}\n"
    (folder / "config.toml").write_text(text, encoding="utf-8")
    (folder / "sources.yaml").write_text(ONLY_LIBRARY, encoding="utf-8")


def _research(site: Site) -> None:
    for name, body in (("index", {}), ("library-scan", {}), ("research", {"topics": TOPICS})):
        found: Any = site.program("POST", f"/api/v1/{name}", body)
        assert found.status == 200, found.text
