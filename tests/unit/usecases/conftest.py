"""A vault with its App, in whose process no model is loaded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import Settings
from tests.fakes.embedder import FakeEmbedder


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The App of an empty vault; `tests.fakes.asked` writes notes into it."""
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    (tmp_path / "vault").mkdir()
    settings = Settings(vault=tmp_path / "vault")
    opened = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    yield opened
    opened.close()
