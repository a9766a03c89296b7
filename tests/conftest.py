"""What holds for every test: no message reaches a real desktop, and no cross-encoder is loaded."""

import os
from collections.abc import Hashable, Iterator

import pytest
from hypothesis import settings

from tests.order import dealt

# On a busy machine a first call takes longer than any deadline: tests time out, examples do not.
settings.register_profile("suite", settings(), deadline=None)
settings.load_profile("suite")

# Seconds that a test of these folders takes on average, where no mark says how many.
USUAL = {"e2e": 2.0, "cli": 0.2, "real": 0.02}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes long at the head of what each worker is given."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1:
        items[:] = dealt(items, workers, _group)


def _group(item: pytest.Item) -> tuple[Hashable, float]:
    """Return the test itself when it has a mark of its own, else its module, and its seconds."""
    mark = item.get_closest_marker("long")
    seconds = mark.args[0] if mark is not None else USUAL.get(item.path.parent.name, 0.0)
    return (item.nodeid if mark in item.own_markers else item.path), seconds


@pytest.fixture(scope="session", autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the desktop's bus and the machine's models; load no cross-encoder.

    A cache folder of this run holds the models that are made. Answers are ranked by words and
    embeddings: a cross-encoder takes seconds a question.
    """
    cache = tmp_path_factory.getbasetemp() / "cache"
    cache.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
        patch.delenv("XDG_RUNTIME_DIR", raising=False)
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.setattr("daemon.composition._reranker", lambda *_: None)
        yield
