"""What holds for every test: no message reaches a real desktop, and no cross-encoder is loaded."""

import pytest


@pytest.fixture(autouse=True)
def no_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the ways to the session's bus."""
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)


@pytest.fixture(autouse=True)
def no_reranker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank answers by words and embeddings: a cross-encoder takes seconds a question."""
    monkeypatch.setattr("daemon.app._reranker", lambda _settings: None)
