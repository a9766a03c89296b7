"""Addresses that open notes."""

from pathlib import Path
from urllib.parse import quote

from daemon.app import App


def note_uri(app: App, path: str) -> str:
    """Return an address that opens a note in Obsidian, or names its file."""
    vault = app.adapter.root
    if is_of_obsidian(vault):
        file = path.removesuffix(".md")
        return f"obsidian://open?vault={quote(vault.name, safe='')}&file={quote(file, safe='')}"
    return f"file://{quote(str(vault / path))}"


def is_of_obsidian(vault: Path) -> bool:
    """Return whether Obsidian knows a vault, and so opens links to its notes."""
    return (vault / ".obsidian").is_dir()
