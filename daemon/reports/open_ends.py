"""What a report leaves open, and what to do about it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from daemon.ingest.key_points import leaves_open
from daemon.model.finding import Quote
from daemon.model.report import REVIEW, Remark, Report, ReportSection, text_of
from daemon.model.source_names import source_name

_MAX_OPEN = 4  # statements that leave something open, one of each source
_MAX_SINGLE = 3
_MAX_OF_KIND = 2  # actions
_MAX_ACTIONS = 8
_ABSTRACT = "abstract"


@dataclass(frozen=True, slots=True)
class Left:
    """What a run left: questions without an answer, what its sources say is not known, and the
    sources that did not answer, with the reason.
    """

    unanswered: Sequence[str]
    open: Sequence[Quote]
    unreached: Mapping[str, str]


def open_statements(said: Iterable[Quote]) -> list[Quote]:
    """Return statements that ask something or say that it is not known, one of each document.

    A question that is a heading is not open: what follows answers it.
    """
    found: dict[str, Quote] = {}
    for each in said:
        if leaves_open(text_of(each)) and not _is_heading(each):
            found.setdefault(each.document.id, each)
    return list(found.values())[:_MAX_OPEN]


def _is_heading(quote: Quote) -> bool:
    """Return whether a question is a line of its own."""
    text, found = quote.document.text, quote.passage
    before, after = text[: found.start].rstrip(" #*"), text[found.end :].lstrip(" #*")
    is_line = (not before or before.endswith("\n")) and after.startswith("\n")
    return is_line and found.text.rstrip().endswith(("?", "？"))


def gaps_of(report: Report, left: Left) -> tuple[Remark, ...]:
    """Return what has no answer, what rests on one source, and what the sources leave open."""
    alone = [each for each in report.sections if _is_alone(each)]
    return (
        *(Remark(f"No document that was read answers “{each}”") for each in left.unanswered),
        *(
            Remark(f"Only one independent source answers “{each.question}”", each.path)
            for each in alone[:_MAX_SINGLE]
        ),
        *(Remark(f"“{text_of(each)}”", hit=each.document.hit) for each in left.open),
        *_not_available(left.unreached),
    )


def actions_of(report: Report, left: Left) -> tuple[Remark, ...]:
    """Suggest what to do next, the most important first."""
    disputed = [
        Remark("Re-evaluate", one.ours.path, one.theirs.document.hit)
        for one in report.disputed
        if isinstance(one.theirs, Quote)
    ]
    unclear = [
        Remark("Decide which of the sources is right", each.path)
        for each in report.sections
        if any(one.is_contradiction for one in each.differing)
    ]
    brief = [
        Remark("Read the full text; only its summary was read", hit=each.document.hit)
        for each in sorted(report.sources, key=lambda one: -one.credibility.score)
        if each.document.extracted_by == _ABSTRACT
    ]
    alone = [
        Remark("Look for a second source", each.path)
        for each in report.key_findings
        if each.sources == 1
        and each.path
        and any(one.path == each.path and _is_alone(one) for one in report.sections)
    ]
    again = [Remark(f"Look elsewhere for an answer to “{each}”") for each in left.unanswered]
    open_ = [Remark(f"Follow up: “{text_of(each)}”") for each in left.open]
    review = [Remark(REVIEW, each) for each in report.made]
    kinds = (disputed, unclear, brief, alone, again, open_, review)
    found = [each for kind in kinds for each in list(dict.fromkeys(kind))[:_MAX_OF_KIND]]
    return tuple(found[:_MAX_ACTIONS])


def _is_alone(section: ReportSection) -> bool:
    """Return whether a question has one answer at most; a name is no question."""
    return bool(section.question) and section.independent <= 1 and not section.is_topic


def _not_available(unreached: Mapping[str, str]) -> list[Remark]:
    """Name the sources that did not answer, those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for name, why in sorted(unreached.items()):
        by_reason.setdefault(why, []).append(source_name(name))
    return [
        Remark(f"Not available: {', '.join(names)}{f' ({why})' if why else ''}")
        for why, names in by_reason.items()
    ]
