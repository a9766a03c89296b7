"""Print what sources say on a question, apart from what the notes say."""

from typing import Any

from daemon.cli.ask_views import place_of
from daemon.cli.output import say, say_folded, warn

_REJECTED = 5  # that are shown


def show_offer(offer: dict[str, Any], question: str) -> None:
    """Print what is missing, and how to ask sources."""
    if offer["missing"]:
        say_folded(f"No note mentions: {', '.join(offer['missing'])}", indent=0)
    names = offer["sources"]
    if names:
        some = "1 source" if len(names) == 1 else f"{len(names)} sources"
        say_folded(f"`--web` asks {some}: {', '.join(names)}", indent=0)
    say(f'To research it: lacuna research "{question}"')


def show_jackal(found: dict[str, Any], citations: list[dict[str, Any]]) -> None:
    """Print what notes say, what sources say, and which results were rejected."""
    for each in found["text"]:
        own = (f"[{number}]" for number in each["citations"])
        theirs = (f"({number})" for number in each["results"])
        say_folded(f"{each['text']} {' '.join([*own, *theirs])}", indent=0)
    if found["written_by"]:
        say(f"(written by {found['written_by']}, every sentence checked)\n")
    _show_own(found, citations)
    _show_results(found)
    if found["contradictions"]:
        say("\nContradictions")
    for each in found["contradictions"]:
        say_folded(f"Your note {each['path']} says: “{each['note_says']}”", indent=2)
        say_folded(f"{each['title']} says: “{each['result_says']}” ({each['kind']})", indent=6)
    _show_rejected(found["rejected"])
    _show_sources(found)
    for line in found["remarks"]:
        warn(line)


def _show_own(found: dict[str, Any], citations: list[dict[str, Any]]) -> None:
    say("Your notes")
    if not citations:
        say("  They say nothing about this.")
    said = {each["citation"]: each["text"] for each in found["beliefs"]}
    for number, citation in enumerate(citations, 1):
        say_folded(f"[{number}] {said.get(number, citation['text'])}", indent=2)
        say(f"      {place_of(citation)}")
    for known in found["known"]:
        say_folded(f"{known['path']} cites {known['title']} <{known['url']}>", indent=2)


def _show_results(found: dict[str, Any]) -> None:
    say("\nSources say")
    if not found["results"]:
        say("  No result can be used.")
    said = {each["result"]: each["text"] for each in found["events"]}
    for number, hit in enumerate(found["results"], 1):
        newer = ", newer than your notes" if hit["is_newer"] else ""
        say_folded(f"({number}) {said.get(number, hit['text'])}", indent=2)
        sources = ", ".join(hit["sources"])
        say_folded(
            f"{hit['title']} ({sources}, credibility {hit['credibility']:.2f}{newer})", indent=6
        )
        say(f"      {hit['url']}")


def _show_rejected(rejected: list[dict[str, Any]]) -> None:
    if rejected:
        say("\nNot used")
    for each in rejected[:_REJECTED]:
        say_folded(f"{each['title']} ({', '.join(each['sources'])}): {each['why']}", indent=2)
    if len(rejected) > _REJECTED:
        say(f"  {len(rejected) - _REJECTED} more, with --json")


def _show_sources(found: dict[str, Any]) -> None:
    queries = ", ".join(f"“{each}”" for each in found["queries"])
    say()
    say_folded(f"Sent: {queries} ({found['strategy']})", indent=0)
    for each in found["sources"]:
        why = f", {each['why']}" if each["why"] else ""
        say(f"  {each['name']}: {each['status']}, results: {each['results']}{why}")
    for name, why in found["skipped"].items():
        say(f"  {name}: not asked, {why}")
