"""Notes that are written into the vault of an App, and indexed with their embeddings."""

from collections.abc import Mapping
from datetime import UTC, datetime

from daemon.app import App

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
RYE = {
    "Rye one.md": "A rye starter is effective because it keeps its acid in the cold.",
    "Rye two.md": "A rye starter is hard to stretch if the flour is coarse.",
    "Rye three.md": "A rye starter improves the crumb of every loaf.",
}
RYE_QUESTION = "What are the pros and cons of a rye starter?"


def write(app: App, notes: Mapping[str, str]) -> None:
    """Write notes by their paths, then index them as the daemon does."""
    assert app.settings.vault is not None
    for path, text in notes.items():
        file = app.settings.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    app.index.knowledge.sync(now=NOW)
    embedding = app.index.knowledge.embedding
    assert embedding is not None
    embedding.begin()
    while not embedding.step(5):
        pass
