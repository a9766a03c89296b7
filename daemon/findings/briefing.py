"""The morning's briefing: what was asked, what was found, and what was not and why. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from daemon.findings.queue_note import QueueEntry
from daemon.findings.safe_links import outside_link
from daemon.model.finding import FindingRecord
from daemon.model.wording import counted
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one question. One that `is_kept` is asked again the next night."""

    asked: QueueEntry
    findings: Sequence[FindingRecord]
    why: str = ""  # why nothing was found
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Briefing:
    """The content of a briefing. `waiting` is how many questions wait for the next night."""

    id: str
    created_at: datetime
    outcomes: Sequence[Outcome]
    queue: str  # the queue note's path
    digest: str  # the digest's path, or ""
    ended: str = ""  # why the night ended early
    waiting: int = 0


def briefing_text(briefing: Briefing, *, link: Linker, tz: tzinfo) -> str:
    """Return the note that reports in the morning the results of the night."""
    head = [
        "---",
        "type: briefing",
        f"lacuna_id: {yaml_text(briefing.id)}",
        f"created: {stamp(briefing.created_at, tz)}",
        "---",
    ]
    found = [each for each in briefing.outcomes if each.findings]
    nothing = [each for each in briefing.outcomes if not each.findings and not each.is_kept]
    kept = [each for each in briefing.outcomes if not each.findings and each.is_kept]
    parts = [
        "\n".join(head),
        _opening(briefing, len(found), link),
        _section("Found", (_found_line(each, link) for each in found)),
        _section("Nothing new", (_why_line(each) for each in nothing)),
        _section("Carried over to the next night", (_why_line(each) for each in kept)),
        _rest(briefing, link),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _opening(briefing: Briefing, found: int, link: Linker) -> str:
    number = len(briefing.outcomes)
    questions = counted(number, "question")
    queue = link(briefing.queue)
    ended = f" Stopped early: {briefing.ended}." if briefing.ended else ""
    if not found:
        return f"{queue}: {questions}, no results.{ended}"
    return f"{found} of {questions} in {queue} had results.{ended}"


def _found_line(outcome: Outcome, link: Linker) -> str:
    notes = ", ".join(
        f"{link(record.path)} ({record.credibility:.2f})" for record in outcome.findings
    )
    return f"- {_named(outcome.asked)}: {notes}"


def _why_line(outcome: Outcome) -> str:
    return f"- {_named(outcome.asked)}: {inert_line(outcome.why)}"


def _named(asked: QueueEntry) -> str:
    if asked.is_page:
        return outside_link(asked.text, asked.text)
    return f"“{inert_line(asked.text)}”"


def _rest(briefing: Briefing, link: Linker) -> str:
    lines = []
    if briefing.waiting:
        many = counted(briefing.waiting, "more question")
        wait = "waits" if briefing.waiting == 1 else "wait"
        lines.append(f"{many} {wait} in {link(briefing.queue)}: the nightly limit was reached.")
    if briefing.digest:
        lines.append(f"For sources and cost, see {link(briefing.digest)}.")
    return " ".join(lines)


def _section(title: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f"## {title}\n\n{body}" if body else ""
