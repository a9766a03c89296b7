"""What a run did, as one note: what was found, what was left out, what did not answer, the cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import groupby

from daemon.findings.bulk import all_lines, box_lines
from daemon.findings.outside import outside_link, source_name
from daemon.model.agenda import Agenda, Choice
from daemon.model.evidence import NO_NETWORK, Answer, SourceStatus
from daemon.model.finding import FindingRecord, Skip
from daemon.model.spending import dollars
from daemon.store.digests import digest_id
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker

_SKIPS_SHOWN = 12
_CUT_OFF = (SourceStatus.UNAVAILABLE.value, NO_NETWORK)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took; `money` is in millionths of a US dollar.

    `seconds` only when the run's record keeps it: a replay must agree.
    """

    requests: int = 0
    bytes: int = 0
    seconds: float | None = None
    money: int = 0


@dataclass(frozen=True, slots=True)
class Digest:
    """Everything a digest tells of one run."""

    run: str
    created_at: datetime
    agenda: Agenda
    findings: Sequence[FindingRecord]
    answers: Sequence[Answer]
    skips: Sequence[Skip]
    cost: Cost
    is_cut_short: bool = False  # before all was gathered
    cut_short_by: str = ""  # the budget that ended it; "" when it was the user
    remarks: Sequence[str] = ()  # what hooks changed, and which of them failed


def digest_text(digest: Digest, *, link: Linker, tz: tzinfo = UTC) -> str:
    """Write the note that tells what a run did. Times are told in `tz`, without an offset."""
    head = [
        "---",
        "type: digest",
        f"lacuna_id: {yaml_text(digest_id(digest.run))}",
        f"created: {stamp(digest.created_at, tz)}",
        f"run: {yaml_text(digest.run)}",
        "---",
    ]
    parts = [
        "\n".join(head),
        _opening(digest, link),
        _section("Found", _found_lines(digest.findings, link)),
        _section("Searched for", _task_lines(digest)),
        _section("Left out", _skip_lines(digest.skips, link)),
        _section("Sources that did not answer in full", _trouble_lines(digest.answers)),
        _section("Your hooks", (f"- {inert_line(remark)}" for remark in digest.remarks)),
        _spent(digest.cost),
        _next_step(digest),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _opening(digest: Digest, link: Linker) -> str:
    run = [task for task in digest.agenda.tasks if task.choice is Choice.WANTED]
    agenda = f" of {link(digest.agenda.path)}" if digest.agenda.path else ""
    findings = _count(len(digest.findings), "finding")
    cut = ""
    if digest.is_cut_short:
        who = f"It ended early, as {digest.cut_short_by}"
        who = who if digest.cut_short_by else "You stopped it early"
        cut = f" {who}: this is what had come by then."
    trigger = inert_line(digest.agenda.trigger)
    return f"{findings} from {_count(len(run), 'task')}{agenda} ({trigger}).{cut}"


def _found_lines(findings: Sequence[FindingRecord], link: Linker) -> Iterable[str]:
    """Name each finding, with boxes by which it is decided here, and those for all of them."""
    if len(findings) > 1:
        yield from (*all_lines(), "")
    for record in findings:
        yield _found_line(record, link)
        yield from box_lines(record.id)


def _found_line(record: FindingRecord, link: Linker) -> str:
    return (
        f"- {link(record.path)} — for “{inert_line(record.topic)}”, credibility"
        f" {record.credibility:.2f}"
    )


def _task_lines(digest: Digest) -> Iterable[str]:
    for task in digest.agenda.tasks:
        if task.choice is not Choice.WANTED:
            yield f"- “{inert_line(task.query)}”: not searched for, you said no"
            continue
        said = [_said(answer) for answer in digest.answers if answer.query == task.query]
        yield f"- “{inert_line(task.query)}”: {', '.join(said) or 'no source was asked'}"


def _said(answer: Answer) -> str:
    name = source_name(answer.source)
    match answer.status:
        case SourceStatus.OK:
            return f"{_count(len(answer.hits), 'result')} from {name}"
        case SourceStatus.EMPTY:
            return f"nothing in {name}"
        case SourceStatus.DEGRADED:
            return f"{_count(len(answer.hits), 'result')} from {name}, which answered in part"
        case SourceStatus.UNAVAILABLE:
            return f"{name} was unavailable"


def _skip_lines(skips: Sequence[Skip], link: Linker) -> Iterable[str]:
    for skip in skips[:_SKIPS_SHOWN]:
        where = f", see {link(skip.note)}" if skip.note else ""
        yield f"- {outside_link(skip.title or skip.url, skip.url)}: {inert_line(skip.why)}{where}"
    if len(skips) > _SKIPS_SHOWN:
        yield f"- and {len(skips) - _SKIPS_SHOWN} more, listed in the run's own record"


def _trouble_lines(answers: Iterable[Answer]) -> Iterable[str]:
    """One line per source and reason, however many queries met it; one for all without network."""
    troubled = sorted(
        (answer.source, answer.status.value, answer.why)
        for answer in answers
        if answer.status in (SourceStatus.DEGRADED, SourceStatus.UNAVAILABLE)
    )
    cut_off = sorted({name for name, status, why in troubled if (status, why) == _CUT_OFF})
    if cut_off:
        names = ", ".join(map(source_name, cut_off))
        yield f"- {NO_NETWORK}: {_count(len(cut_off), 'source')} unavailable ({names})"
    troubled = [each for each in troubled if each[1:] != _CUT_OFF]
    for (name, status, why), met in groupby(troubled):
        times = len(list(met))
        often = f" ({times} times)" if times > 1 else ""
        yield f"- {source_name(name)}: {status}{often}, {inert_line(why) or 'no reason given'}"


def _section(title: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f"## {title}\n\n{body}" if body else ""


def _spent(cost: Cost) -> str:
    seconds = f" in {cost.seconds:.0f} seconds" if cost.seconds is not None else ""
    if cost.requests == 0:
        return f"Nothing was sent over the network{seconds}."
    megabytes, kilobytes = cost.bytes / 1_000_000, cost.bytes / 1000
    brought = f"{megabytes:.1f} MB" if megabytes >= 0.1 else f"{kilobytes:.0f} kB"
    money = f", for {dollars(cost.money)}" if cost.money else ""
    return f"It took {_count(cost.requests, 'request')} and {brought}{money}{seconds}."


def _next_step(digest: Digest) -> str:
    if digest.findings:
        return "Next: tick *Accept* or *Dismiss*, here or in the findings; untick to undo it."
    asked = [answer.status for answer in digest.answers]
    if asked and all(status is SourceStatus.UNAVAILABLE for status in asked):
        return "Next: `lacuna sources test` shows what the sources need; nothing could be asked."
    return "Next: nothing to do; the sources held nothing new."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
