"""What holds for the lenses together: one that fails is named, a stop ends them all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import Settings
from daemon.model.errors import StoppedError
from daemon.ports import Stop
from daemon.usecases.following import NOBODY, Follower
from daemon.usecases.playbook import playbook
from tests.fakes.embedder import FakeEmbedder

QUESTION = "What does Ada Moss think about a starter?"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    (tmp_path / "vault").mkdir()
    settings = Settings(vault=tmp_path / "vault")
    opened = open_app(settings, state=tmp_path / "state", config=tmp_path / "config.toml")
    yield opened
    opened.close()


def test_a_stop_ends_every_lens(app: App) -> None:
    with pytest.raises(StoppedError):
        playbook(app, QUESTION, ["Ada Moss"], Follower(stop=Stop(is_requested=True)))


def test_a_lens_that_fails_is_named_and_the_others_answer(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise ValueError("no tone is known")

    monkeypatch.setattr("daemon.usecases.playbook.sentiment_of", fails)
    found, _ = playbook(app, QUESTION, ["Ada Moss"], NOBODY)
    assert found.failed == {"sentiment": "no tone is known"}
