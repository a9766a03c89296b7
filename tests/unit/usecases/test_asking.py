"""What a question leaves behind: in the cache of recent answers, and in its thread."""

from collections.abc import Callable

import pytest

from daemon.app import App
from daemon.asking.routing import Mode
from daemon.model.errors import StoppedError
from daemon.model.event import BaseEvent
from daemon.ports import Stop
from daemon.usecases.asking import AskRequest, ask
from daemon.usecases.following import Follower, follower
from daemon.usecases.queries import answer
from tests.fakes.asked import RYE, RYE_QUESTION, write


def stopped_at(is_last: Callable[[BaseEvent], bool]) -> Follower:
    """A follower that requests a stop at an event."""
    stop = Stop()

    def listen(event: BaseEvent) -> None:
        stop.is_requested = stop.is_requested or is_last(event)

    return follower(listen, stop)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_stopped_question_has_no_answer_and_none_in_its_thread(app: App, mode: Mode) -> None:
    write(app, RYE)
    asked = {"question": RYE_QUESTION, "mode": mode, "thread": "rye"}
    with pytest.raises(StoppedError):
        answer(app, "ask", asked, stopped_at(lambda event: event.type == "route"), writer=app)
    assert app.stores.threads.turns("rye") == []


def test_a_stopped_question_is_answered_in_full_when_it_is_asked_again(app: App) -> None:
    write(app, RYE)
    with pytest.raises(StoppedError):
        ask(app, AskRequest(question=RYE_QUESTION), stopped_at(lambda event: True))
    again = ask(app, AskRequest(question=RYE_QUESTION))
    assert again.oracle is not None
    assert again.oracle.failed == {}
    assert {each.path for each in again.citations} == set(RYE)


def test_a_stop_ends_a_question_before_it_is_chosen_how_to_answer_it(app: App) -> None:
    events: list[BaseEvent] = []
    with pytest.raises(StoppedError):
        ask(app, AskRequest(question="rye?"), follower(events.append, Stop(is_requested=True)))
    assert events == []


def test_a_name_with_and_without_its_capital_are_two_questions(app: App) -> None:
    write(app, {"Bank.md": "The savings bank opened in 1990 with forty customers in the town."})
    small, capital = (
        ask(
            app,
            AskRequest(question=f"when was the savings bank of {town} opened", mode=Mode.DIRECT),
        )
        for town in ("oslo", "Oslo")
    )
    assert (len(small.nearest), len(capital.nearest)) == (1, 0)
