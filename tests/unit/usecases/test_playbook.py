"""What holds for the lenses together: one that fails is named, a stop ends them all."""

import pytest

from daemon.app import App
from daemon.model.errors import StoppedError
from daemon.ports import Stop
from daemon.usecases.following import NOBODY, Follower
from daemon.usecases.playbook import playbook
from tests.fakes.asked import RYE, write

QUESTION = "What does Ada Moss think about a starter?"


def test_a_stop_ends_every_lens(app: App) -> None:
    with pytest.raises(StoppedError):
        playbook(app, QUESTION, ["Ada Moss"], Follower(stop=Stop(is_requested=True)))


def test_no_lens_waits_for_an_embedding_model(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(*_: object) -> None:
        raise AssertionError("the model was asked")

    write(app, {"Own.md": "I think that a rye starter is good.", **RYE})
    monkeypatch.setattr(type(app.children.embedder), "embed", loads)
    for who in (["Ada Moss"], ["you"]):
        assert playbook(app, "What do I think about a starter?", who, NOBODY)[0].failed == {}


def test_a_lens_that_fails_is_named_and_the_others_answer(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise ValueError("no tone is known")

    monkeypatch.setattr("daemon.usecases.playbook.sentiment_of", fails)
    found, _ = playbook(app, QUESTION, ["Ada Moss"], NOBODY)
    assert found.failed == {"sentiment": "no tone is known"}


def test_your_view_on_a_topic_is_also_in_the_parts_of_its_note_that_do_not_repeat_its_name(
    app: App,
) -> None:
    text = (
        "# Friendship\n\nFriendship grows slowly.\n\n## Energy\n\nI think that large groups drain."
    )
    write(app, {"Friendship.md": text})
    found, cited = playbook(app, "What do I think about friendship?", ["you"], NOBODY)
    assert [each.text for each in cited] == ["I think that large groups drain."]
    assert found.beliefs is not None
    assert found.beliefs[0].is_theirs
