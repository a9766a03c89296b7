"""A saved search as a note: first the user's notes, then the sources. Pure."""

from collections.abc import Iterator
from datetime import UTC, tzinfo

from daemon.findings.safe_links import outside_link
from daemon.model.source_names import source_name
from daemon.model.web_search import Conflict, NoteSaying, SavedSearch, SourceSaying
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker

FOLDER = "Searches"


def saved_search_text(saved: SavedSearch, *, link: Linker, tz: tzinfo = UTC) -> str:
    """Return the whole note."""
    head = [
        "---",
        "type: search",
        f"lacuna_id: {yaml_text(saved.id)}",
        f"created: {stamp(saved.created_at, tz)}",
        f"query: {yaml_text(saved.query)}",
        "---",
        f"# Search: {inert_line(saved.query)}",
    ]
    parts = [
        _part("Your notes", [_note(each, link) for each in saved.notes]),
        _part("New", [line for each in saved.results for line in _result(each)]),
        _part("Contradictions", [_conflict(each, link) for each in saved.conflicts]),
        _part("Not available", [f"- {inert_line(each)}" for each in saved.unavailable]),
    ]
    return "\n".join([*head, *filter(None, parts), ""])


def _part(heading: str, lines: list[str]) -> str:
    return "\n".join(["", f"## {heading}", "", *lines]) if lines else ""


def _note(note: NoteSaying, link: Linker) -> str:
    place = f" › {inert_line(note.heading)}" if note.heading else ""
    return f"- {link(note.path)}{place}: {inert_line(note.text)}"


def _result(result: SourceSaying) -> Iterator[str]:
    by = " and ".join(source_name(name) for name in result.sources)
    dated = f", {inert_line(result.published)}" if result.published else ""
    text = f": {inert_line(result.text)}" if result.text else ""
    yield f"- {outside_link(result.title, result.url)} ({by}{dated}){text}"
    for what, value in result.figures:
        yield f"    - {inert_line(what)}: {inert_line(value)}"


def _conflict(conflict: Conflict, link: Linker) -> str:
    theirs = f"{outside_link(conflict.title, conflict.url)} says “{inert_line(conflict.theirs)}”"
    return f"- {link(conflict.path)} says “{inert_line(conflict.ours)}”. {theirs}"
