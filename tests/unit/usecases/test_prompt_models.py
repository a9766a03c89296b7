"""Models are waited for only so long, and why one did not work is known afterwards."""

from threading import Event

import pytest

from daemon.model.errors import LateModelError, ModelError
from daemon.usecases.prompt_models import Patience


def test_the_work_of_a_late_model_is_ended() -> None:
    ended = Event()
    patience = Patience(0.01)
    with pytest.raises(LateModelError):
        patience.wait(lambda: ended.wait(10), ended.set)
    assert ended.is_set()
    assert (patience.is_late, patience.trouble) == (True, "")


def test_a_model_that_does_not_work_is_not_late() -> None:
    def fails() -> None:
        raise ModelError("the model is gone")

    patience = Patience(60)
    with pytest.raises(ModelError):
        patience.wait(fails, lambda: None)
    assert (patience.is_late, patience.trouble) == (False, "the model is gone")
