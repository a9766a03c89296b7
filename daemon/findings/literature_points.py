"""The skeleton of a document, a thread's posts, and facts, as parts of a literature note. Pure."""

import re
from collections.abc import Callable, Iterator

from daemon.model.evidence import Passage
from daemon.model.literature import LiteratureNote, Point
from daemon.model.structure import OWN_WORDS, PageKind
from vault_adapters.inert import inert_line

_SENTENCE_END = re.compile(r"[.!?…]$")

Quoted = Callable[[Passage], str]  # a passage in quotation marks, with its place


def kind_line(note: LiteratureNote) -> str:
    """Say what a document is, if not a text by its authors."""
    if note.page_kind is PageKind.OFFER:
        return (
            "**An offer**: the page advertises a product or a service. What it says of itself is "
            "not checked."
        )
    if note.page_kind is PageKind.THREAD:
        posts = f"{note.posts} post{'s' if note.posts != 1 else ''}"
        return f"**A thread of {posts}**: each is the view of whoever wrote it."
    if note.page_kind is PageKind.LISTING:
        return f"**A list of {note.entries_listed} entries** that the page links to."
    return ""


def verdict(note: LiteratureNote) -> str:
    """Return the claim that a fact check is about, and its rating."""
    if note.page_kind is not PageKind.FACT_CHECK:
        return ""
    stated = dict(note.facts)
    lines = [f"**Claim**: “{inert_line(stated.get('Claim', ''))}”"]
    if by := stated.get("Claimed by"):
        lines.append(f"**Claimed by**: {inert_line(by)}")
    lines.append(f"**Rating**: {inert_line(stated.get('Rating', '')) or 'not stated'}")
    return "\n\n".join(["**A fact check**", "\n".join(f"- {line}" for line in lines)])


def facts(note: LiteratureNote) -> str:
    """Return the names and values that an offer states."""
    if note.page_kind is PageKind.FACT_CHECK or not note.facts:
        return ""
    heading = "Entries" if note.page_kind is PageKind.LISTING else "Facts"
    lines = [f"- {_fact(name, value)}" for name, value in note.facts]
    shown = sum(name != OWN_WORDS for name, _ in note.facts)
    if note.page_kind is PageKind.LISTING and note.entries_listed > shown:
        lines.append(f"- … and {note.entries_listed - shown} more")
    return "\n".join([f"## {heading}", "", *lines])


def _fact(name: str, value: str) -> str:
    said = f"“{inert_line(value)}”" if name == OWN_WORDS else inert_line(value)
    return f"{inert_line(name)}: {said}" if value else inert_line(name)


def points(note: LiteratureNote, quoted: Quoted) -> str:
    """Return each heading with what is said below it, or each author of a post."""
    heading = "Posts" if note.page_kind is PageKind.THREAD else "Main points"
    lines = [line for point in note.points for line in _point(point, quoted)]
    return "\n".join([f"## {heading}", "", *lines]) if lines else ""


def _point(point: Point, quoted: Quoted) -> Iterator[str]:
    name = inert_line(point.heading)
    if not (point.said or point.items):
        yield f"- {name}"
        return
    end = "" if _SENTENCE_END.search(point.heading) else ":"
    said = " … ".join(quoted(each) for each in point.said)
    yield f"- **{name}**{end} {said}" if said else f"- **{name}**"
    yield from (f"  - {inert_line(each)}" for each in point.items)
