"""Print the answers of `lacuna ask` that are more than excerpts."""

from typing import Any

from daemon.cli.output import say, say_folded

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
    """Print the perspectives on a question, how they relate, and where they are from."""
    if found["quick"] is not None and not found["quick"]:
        say("No passage answers this directly. Your notes say on the subject:")
    _show_summary(found)
    say()
    if found["deep"]:
        for name, label in _SIDES:
            _show_numbers(label, found["deep"][name])
    if found["strategic"]:
        _show_numbers("What follows", found["strategic"]["follows"])
        _show_numbers("Open questions", found["strategic"]["open_questions"])
        if found["strategic"]["missing"]:
            say(f"No passage mentions: {', '.join(found['strategic']['missing'])}")
    for name, label in (("agreements", "Agree"), ("contradictions", "Contradict each other")):
        for pair in found[name]:
            say(f"{label}: [{pair['one']}] and [{pair['other']}]")
    for each in found["connections"]:
        say_folded(f"Not linked: {each['one']} and {each['other']}", indent=0)
    _show_failed(found["failed"])
    say()
    for number, citation in enumerate(citations, 1):
        say(f"[{number}] {place_of(citation)}")
        say_folded(citation["text"], indent=6)


def _show_summary(found: dict[str, Any]) -> None:
    for sentence in found["summary"]:
        marks = "".join(f" [{number}]" for number in sentence["citations"])
        say_folded(f"{sentence['text']}{marks}", indent=0)
    if found.get("written_by"):
        say(f"(written by {found['written_by']}, every sentence checked)")


def _show_numbers(label: str, numbers: list[int]) -> None:
    if numbers:
        say(f"{label}: {' '.join(f'[{number}]' for number in numbers)}")


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
    known = [part for part in (belief["said_on"], tone) if part]
    return f", {', '.join(known)}" if known else ""


def place_of(citation: dict[str, Any]) -> str:
    heading = (
        f" › {citation['heading']}" if citation["heading"] not in ("", citation["name"]) else ""
    )
    line = f":{citation['line']}" if citation["line"] else ""
    return f"{citation['name']}{heading} ({citation['path']}{line})"
