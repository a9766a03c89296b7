"""The page of the sample vault, with hostile notes, a library and findings, for a whole module."""

import json
import os
import shutil
import socket
from collections.abc import Iterator
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
from daemon.usecases import event_history
from daemon.usecases.in_process import InProcess
from daemon.usecases.invoker import Invoker
from daemon.usecases.web_access import code_listener
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.keyring import FakeKeyring
from tests.fakes.only_library import ONLY_LIBRARY
from tests.fakes.poison import PAYLOADS
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
def sample_site(
    folder: Path, *, hostile: bool = True, finds: bool = True, slow: str = ""
) -> Iterator[Site]:
    """Serve a copy of the sample vault until the end of the block, without a daemon.

    `slow` is the origin of a server that is a source, too.
    """
    with pytest.MonkeyPatch.context() as patch:
        _at_home(folder, patch)
        vault = Path(shutil.copytree(ROOT / "sample_vault", folder / "Notes"))
        library = Path(shutil.copytree(ROOT / "sample_library", folder / "Library"))
        _settings(folder, vault, library, slow)
        if hostile:
            (vault / HOSTILE_NOTE).write_text(f"# {HOSTILE}\n\n{HOSTILE}\n[[Missing <b>x</b>]]\n")
            for number, text in enumerate(hostile_texts()):
                (vault / f"Payload {number}.md").write_text(f"# {text}\n\n{text}\n\n{HOSTILE}\n")
        config = folder / ".config/lacuna/config.toml"
        with closing(open_app(load_settings(config), config=config)) as app:
            follow = partial(event_history.follow, app)
            use = Invoker(app, print, InProcess(app, print))
            setup = SetupPages(Options(config=config), may_change=True)
            private = partial(_listeners, app)
            with serving(use, follow, private=private, setup=setup) as site:
                if finds:
                    _research(site)
                if hostile:
                    _spread(site)
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


def _settings(home: Path, vault: Path, library: Path, slow: str) -> None:
    folder = home / ".config" / "lacuna"
    folder.mkdir(parents=True)
    text = f"vault = {json.dumps(str(vault))}\nlibrary.folder = {json.dumps(str(library))}\n"
    text += 'embedding.model = "words"\n'
    sources = ONLY_LIBRARY
    if slow:
        text += f"network.allow_origins = {json.dumps([slow])}\n"
        entry = {"type": "json", "url": f"{slow}/slow?q={{query}}", "max_latency_ms": 60_000}
        sources += f"slow: {json.dumps(entry)}\n"
    (folder / "config.toml").write_text(text, encoding="utf-8")
    (folder / "sources.yaml").write_text(sources, encoding="utf-8")


def hostile_texts() -> list[str]:
    """Return texts with all payloads of the project; the last ones are scripts."""
    found = ["\n\n".join(texts) for texts in PAYLOADS.values()] + [HOSTILE]
    return [text.encode("utf-8", "replace").decode() for text in found]  # a file has no surrogates


def _spread(site: Site) -> None:
    """Put payloads wherever a page shows text that somebody wrote."""
    lines = [" ".join(text.split())[:300] for text in hostile_texts()]
    for line in lines:
        _posted(site, "topic-never", {"topic": line[:200]})
    _posted(site, "research", {"topics": [lines[-1]]})
    _posted(site, "asked", {"question": lines[-1], "thread": lines[-1][:60]})
    agenda = _posted(site, "agenda-new", {})["agenda"]
    for task, line in zip(agenda["tasks"], lines, strict=False):
        _posted(site, "agenda-change", {"id": agenda["id"], "task": task["id"], "query": line})


def _posted(site: Site, name: str, body: Any) -> Any:
    found = site.program("POST", f"/api/v1/{name}", body)
    assert found.status < 300, found.text
    return found.json


def _research(site: Site) -> None:
    for name, body in (("index", {}), ("library-scan", {}), ("research", {"topics": TOPICS})):
        _posted(site, name, body)
