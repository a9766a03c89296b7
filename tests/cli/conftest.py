"""A home of its own for every test, with a small vault, a library, and no model to load."""

import logging
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from daemon import composition
from daemon.config import load_settings
from daemon.confinement import landlock
from daemon.confinement.confine import Confinement
from daemon.host import serving, starting
from daemon.host.socket_server import Server
from daemon.model import known_keys
from tests.fakes.cli import LIBRARY, NOTES, Cli, lay_out
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.keyring import FakeKeyring
from tests.fakes.only_library import ONLY_LIBRARY

NAMES = ("daemon", "vault_adapters", "scheduler", "daemon.index.sync")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, of which everything outside is out of reach; no key is known yet."""
    monkeypatch.setattr(known_keys, "_known", set())
    for name in [name for name in os.environ if name.startswith(("LACUNA_", "XDG_"))]:
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault whose path holds what paths of real people hold."""
    return lay_out(tmp_path / "Meine Notizen" / "Küche & Garten", NOTES)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "to read", LIBRARY)


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> FakeKeyring:
    """The system's keyring, without a system."""
    fake = FakeKeyring()
    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(f"keyring.{name}", getattr(fake, name))
    return fake


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, levels = root.handlers[:], {name: logging.getLogger(name).level for name in NAMES}
    yield
    root.handlers[:] = handlers
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture
def lacuna(
    home: Path,
    keyring: FakeKeyring,
    logs_as_before: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Cli:
    """The command line, with an embedder that needs no model, before any `init`."""
    monkeypatch.setattr(
        composition, "_embedder", lambda settings, *_: FakeEmbedder(settings.embedding.model)
    )
    # `lacuna run` would confine this very process, for good, after it had begun another one.
    monkeypatch.setattr(landlock, "version", lambda: 0)
    monkeypatch.setattr(
        starting, "confine_daemon", lambda _settings: Confinement("it runs in a test")
    )
    # Nor may it end this process a moment after the next signal that a test sends itself.
    monkeypatch.setattr(serving, "enforce_stop_deadline", lambda: None)
    return Cli(home, capsys, monkeypatch)


@pytest.fixture
def ready(lacuna: Cli, vault: Path, library: Path) -> Cli:
    """The command line after `init`, with the library as the only source."""
    lacuna.settings(vault=vault, library__folder=library)
    lacuna.sources.write_text(ONLY_LIBRARY)
    return lacuna


@pytest.fixture
def beside_daemon(ready: Cli, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """The command line beside a daemon that answers queries; no command may open the vault."""
    assert ready("index").code == 0
    with closing(composition.open_app(load_settings(ready.config), config=ready.config)) as app:
        server = Server(app)
        server.start()
        with monkeypatch.context() as patch:
            patch.setattr("daemon.usecases.opening.open_app", None)
            yield ready
        server.stop()
