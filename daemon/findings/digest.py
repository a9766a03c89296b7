"""A day's digest: for each run the findings, what was not reached or skipped, and the cost.

A digest is written with the first run of a day that found something. Each later run of the day
appends its own entry; no other byte changes. An entry depends only on its run.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo

from daemon.findings.bulk import all_lines, box_lines
from daemon.findings.nearest import nearest_lines
from daemon.model.agenda import Agenda, Choice, Task
from daemon.model.evidence import Answer, NearPassage, SourceStatus
from daemon.model.finding import FindingRecord, Skip
from daemon.model.source_names import source_name
from daemon.model.spending import dollars
from daemon.model.wording import counted
from daemon.store.digests import digest_id
from vault_adapters.edit import read_property, set_property, stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker

_REASONS_SHOWN = 8
_MAX_ANSWER_LENGTH = 200  # characters
_FIGURES = re.compile(r"\s*\((?:[^()]*\d[^()]*)\)")  # how similar, how much: differs each time
_SITE = re.compile(r"^\S+\.\S+:\s+")  # "example.org: HTTP 403"
_AFTER_COLON = re.compile(r"(?<=\w): .*")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a run; `money` is in millionths of a US dollar."""

    requests: int = 0
    bytes: int = 0
    money: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """The content of a digest's entry for one run; `answered` maps a finding's id to its answer in
    one line.
    """

    run: str
    created_at: datetime
    agenda: Agenda
    findings: Sequence[FindingRecord]
    answers: Sequence[Answer]
    skips: Sequence[Skip]
    cost: Cost
    answered: Mapping[str, str] = field(default_factory=dict)
    is_cut_short: bool = False  # before everything was gathered
    cut_short_by: str = ""  # the budget that ended it; "" if it was the user
    remarks: Sequence[str] = ()  # what hooks changed, and which of them failed
    known: Mapping[str, str] = field(default_factory=dict)  # task id → path of an earlier finding
    telling: Mapping[tuple[str, str], str] = field(default_factory=dict)  # see nearest_lines
    near: Mapping[str, Sequence[NearPassage]] = field(default_factory=dict)


def digest_text(entry: Entry, *, link: Linker, tz: tzinfo = UTC) -> str:
    """Return the digest of a day on which only this run found something."""
    return digest_head(entry.run, entry.created_at, tz) + entry_text(entry, link=link, tz=tz)


def digest_head(run: str, created_at: datetime, tz: tzinfo = UTC) -> str:
    """Return the properties of a digest whose first entry is this run's."""
    head = [
        "---",
        "type: digest",
        f"lacuna_id: {yaml_text(digest_id(run))}",
        f"created: {stamp(created_at, tz)}",
        f"runs: {_yaml_list([run])}",
        "---",
    ]
    return "\n".join(head) + "\n"


def entry_text(entry: Entry, *, link: Linker, tz: tzinfo = UTC) -> str:
    """Return a digest's entry for one run; times are in `tz`, without an offset."""
    parts = [
        f"## {entry.created_at.astimezone(tz):%H:%M} {_name(entry.agenda, link)}",
        f"{_summary(entry)} {entry_mark(entry.run)}",
        "\n".join(_found_lines(entry, link)),
        "\n\n".join(_remarks(entry, link)),
        "\n".join(_details(entry)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def with_entry(text: str, run: str, entry: str) -> str:
    """Return a digest with another run's entry appended; unchanged if it has that one."""
    if re.search(rf"{re.escape(entry_mark(run))}[ \t]*\r?$", text, re.MULTILINE):
        return text
    runs = [*runs_of(text), run]
    text = set_property(text, "runs", _yaml_list(list(dict.fromkeys(runs))))
    return f"{text.rstrip()}\n\n{entry}"


def runs_of(text: str) -> list[str]:
    """Return the runs in a digest; digests of earlier versions have one run."""
    runs = read_property(text, "runs") or read_property(text, "run") or []
    return [str(each) for each in (runs if isinstance(runs, list) else [runs])]


def skipped_lines(skips: Iterable[Skip]) -> list[str]:
    """Describe why documents were skipped, the most frequent reason first, each with its number."""
    reasons = Counter(_reason(skip.why) for skip in skips)
    ordered = sorted(reasons.items(), key=lambda each: (-each[1], each[0]))
    lines = [f"{number} × {inert_line(why)}" for why, number in ordered[:_REASONS_SHOWN]]
    rest = sum(number for _, number in ordered[_REASONS_SHOWN:])
    return [*lines, *([f"{rest} × other reasons"] if rest else [])]


def trouble_line(answers: Iterable[Answer]) -> str:
    """Return the sources that did not answer in full with their reasons, or ""."""
    troubled: dict[str, dict[str, None]] = {}
    for answer in answers:
        if answer.status in (SourceStatus.DEGRADED, SourceStatus.UNAVAILABLE):
            troubled.setdefault(_trouble(answer), {})[source_name(answer.source)] = None
    return "; ".join(f"{', '.join(sorted(names))} ({why})" for why, names in troubled.items())


def _trouble(answer: Answer) -> str:
    why = inert_line(answer.why) or "no reason given"
    is_part = answer.status is SourceStatus.DEGRADED
    return f"answered in part: {why}" if is_part else why


def entry_mark(run: str) -> str:
    """Return the block id that identifies an entry, however its text is edited."""
    return f"^run-{re.sub(r'[^0-9A-Za-z-]', '-', run)}"


def _name(agenda: Agenda, link: Linker) -> str:
    if agenda.note:
        return link(agenda.note)
    if agenda.trigger == "command":
        return "Asked on the command line"
    trigger = inert_line(agenda.trigger)
    return f"{trigger[:1].upper()}{trigger[1:]}"


def _active_tasks(entry: Entry) -> list[Task]:
    return [task for task in entry.agenda.tasks if task.choice is Choice.WANTED]


def _summary(entry: Entry) -> str:
    found = counted(len(entry.findings), "finding")
    line = f"{found} for {counted(len(_active_tasks(entry)), 'question')}."
    if entry.is_cut_short and entry.cut_short_by:
        return f"{line} It ended early because {entry.cut_short_by}. These are partial results."
    if entry.is_cut_short:
        return f"{line} You stopped it early. These are partial results."
    return line


def _found_lines(entry: Entry, link: Linker) -> Iterator[str]:
    """Name each finding with its answer, and boxes that decide it here, or all of them."""
    if len(entry.findings) > 1:
        yield from (*all_lines(), "")
    for record in entry.findings:
        answer = _shortened(entry.answered.get(record.id, ""))
        suffix = f": {inert_line(answer)}" if answer else ""
        yield f"- {link(record.path)}{suffix}"
        yield from box_lines(record.id)


def _remarks(entry: Entry, link: Linker) -> Iterator[str]:
    """Report what was not found, not searched for, not reached, and what hooks did; each in one
    paragraph.
    """
    for task in _active_tasks(entry):
        if task.id in entry.known:
            yield f"“{inert_line(task.query)}” is already answered in {link(entry.known[task.id])}."
    # A finding of an earlier version has only its topic.
    found = {record.question or record.topic for record in entry.findings}
    open_ = [task for task in _active_tasks(entry) if task.id not in entry.known]
    nothing = [task.query for task in open_ if found.isdisjoint((task.query, task.topic))]
    if nothing:
        yield f"Nothing new for {_quoted(nothing)}."
        without = {task.id for task in entry.agenda.tasks if task.query in nothing}
        known = {task.id for task in entry.agenda.tasks} - without
        yield from nearest_lines(entry.agenda, entry.answers, known, entry.telling, entry.near)
    vetoed = [task.query for task in entry.agenda.tasks if task.choice is not Choice.WANTED]
    if vetoed:
        them = "it" if len(vetoed) == 1 else "them"
        yield f"Skipped because you unticked {them}: {_quoted(vetoed)}."
    trouble = trouble_line(entry.answers)
    if trouble:
        yield f"Sources that failed or answered only in part: {trouble}."
    for remark in entry.remarks:
        yield f"Your hooks: {inert_line(remark)}"


def _details(entry: Entry) -> Iterator[str]:
    """Report in a folded callout what was skipped and the cost."""
    yield "> [!info]- Skipped documents and cost"
    if entry.skips:
        yield f"> {counted(len(entry.skips), 'document')} skipped:"
        yield from (f"> - {line}" for line in skipped_lines(entry.skips))
        yield ">"
    yield f"> {_spent(entry.cost)}"
    yield f"> Full record: `lacuna runs show {entry.run}`"


def _reason(why: str) -> str:
    """Return a reason without the parts that differ from one document to the next."""
    return _AFTER_COLON.sub("", _FIGURES.sub("", _SITE.sub("", " ".join(why.split()))))


def _spent(cost: Cost) -> str:
    if cost.requests == 0:
        return "Nothing was sent over the network."
    megabytes, kilobytes = cost.bytes / 1_000_000, cost.bytes / 1000
    brought = f"{megabytes:.1f} MB" if megabytes >= 0.1 else f"{kilobytes:.0f} kB"
    money = f", for {dollars(cost.money)}" if cost.money else ""
    return f"It took {counted(cost.requests, 'request')} and {brought}{money}."


def _quoted(queries: Iterable[str]) -> str:
    return ", ".join(f"“{inert_line(query)}”" for query in queries)


def _shortened(answer: str) -> str:
    words = " ".join(answer.split())
    if len(words) <= _MAX_ANSWER_LENGTH:
        return words
    return f"{words[:_MAX_ANSWER_LENGTH].rsplit(' ', 1)[0]}…"


def _yaml_list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(yaml_text, values))}]"
