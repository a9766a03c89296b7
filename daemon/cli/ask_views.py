"""Print the answers of `lacuna ask` that are more than excerpts."""

from collections.abc import Iterable
from typing import Any

from daemon.cli.output import say, say_folded, shortened

_SIDES = (
    ("reasons", "Reasons"),
    ("in_favour", "For"),
    ("against", "Against"),
    ("conditions", "Depends on"),
)


def show_playbook(found: dict[str, Any], citations: list[dict[str, Any]]) -> None:
    """Print the view of a person: the summary, the lenses, and where it is from."""
    _show_summary(found)
    say()
    _show_timeline(found["timeline"])
    tone = found["sentiment"]
    if tone and tone["positive"] + tone["negative"]:
        counts = (f"{tone[each]} {each}" for each in ("positive", "negative", "neutral"))
        say(f"Tone: {', '.join(counts)}")
    others = found["context"]
    if others and others["near"]:
        names = ", ".join(f"{each['name']} [{each['citation']}]" for each in others["near"])
        say_folded(f"Also on this topic: {names}", indent=0)
    if others and others["topics"]:
        say_folded(f"Tags: {', '.join(others['topics'])}", indent=0)
    _show_failed(found["failed"])
    say()
    about = {each["citation"]: each for each in found["beliefs"] or ()}
    for number, citation in enumerate(citations, 1):
        say(f"[{number}] {place_of(citation)}{_about(about.get(number))}")
        say_folded(citation["text"], indent=6)


def show_oracle(found: dict[str, Any], citations: list[dict[str, Any]]) -> None:
    """Print what answers, then what takes a side, follows or is open, and how it relates.

    Each citation is printed once. A summary that a model wrote comes first.
    """
    if found.get("written_by"):
        _show_summary(found)
        say()
    elif found["quick"] is not None and not found["quick"]:
        say("No passage answers this directly. Your notes say on the subject:")
    shown: set[int] = set()
    for label, numbers in _groups(found):
        new = [each for each in numbers if each not in shown]
        if label and new:
            say(f"\n{label}")
        _show_citations(new, citations)
        shown.update(new)
    rest = [each for each in range(1, len(citations) + 1) if each not in shown]
    say()
    for name, label in (("agreements", "Agree"), ("contradictions", "Contradict each other")):
        for pair in found[name]:
            say(f"{label}: [{pair['one']}] and [{pair['other']}]")
    if found["strategic"] and found["strategic"]["missing"]:
        say(f"No passage mentions: {', '.join(found['strategic']['missing'])}")
    _show_failed(found["failed"])
    _show_citations(rest, citations)


def _groups(found: dict[str, Any]) -> list[tuple[str, list[int]]]:
    """Return numbers of citations by role: what answers first, but sides that were asked for."""
    deep, strategic = found["deep"] or {}, found["strategic"] or {}
    sides = [(label, list(deep.get(name, ()))) for name, label in _SIDES]
    first = found["summary"][0]["citations"] if found["summary"] else ()
    answers = ("", list(found["quick"] or ()))
    has_sides_first = any(each in numbers for each in first for _, numbers in sides[1:3])
    has_sides_first = has_sides_first and not any(each in answers[1][:1] for each in first)
    said = [*sides, ("Also", answers[1])] if has_sides_first else [answers, *sides]
    follows = ("What follows", list(strategic.get("follows", ())))
    return [*said, follows, ("Open questions", list(strategic.get("open_questions", ())))]


def _show_citations(numbers: Iterable[int], citations: list[dict[str, Any]]) -> None:
    for number in numbers:
        say(f"[{number}] {place_of(citations[number - 1])}")
        say_folded(citations[number - 1]["text"], indent=6)


def _show_summary(found: dict[str, Any]) -> None:
    for sentence in found["summary"]:
        marks = "".join(f" [{number}]" for number in sentence["citations"])
        say_folded(f"{sentence['text']}{marks}", indent=0)
    if found.get("written_by"):
        say(f"(written by {found['written_by']}, every sentence checked)")


def _show_failed(failed: dict[str, str]) -> None:
    for name, why in failed.items():
        say(f"{name}: failed, {why}")


def _show_timeline(found: dict[str, Any] | None) -> None:
    if found and len(found["periods"]) > 1:
        periods = ", ".join(f"{each['name']}: {each['mentions']}" for each in found["periods"])
        trend = f"; trend: {found['trend']}" if found["trend"] != "unknown" else ""
        say_folded(f"When: {periods}{trend}", indent=0)


def _about(belief: dict[str, Any] | None) -> str:
    """Return the date and the tone of a statement, each if it is known."""
    if belief is None:
        return ""
    has_tone = belief["is_theirs"] and belief["polarity"] in ("positive", "negative")
    tone = belief["polarity"] if has_tone else ""  # a mention has the tone of its writer
    known = [part for part in (belief.get("said_on"), tone) if part]
    return f", {', '.join(known)}" if known else ""


def place_of(citation: dict[str, Any]) -> str:
    heading = (
        f" › {shortened(citation['heading'])}"
        if citation["heading"] not in ("", citation["name"])
        else ""
    )
    line = f":{citation['line']}" if citation["line"] else ""
    return f"{citation['name']}{heading} ({citation['path']}{line})"
