"""The record of a run: numbers for run.json, and the whole story as research.md."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from daemon.model.citations import Citations
from daemon.model.evidence import Answer, NearPassage, Passage, SourceStatus
from daemon.model.finding import Finding, FindingSource, Skip
from daemon.model.spending import Amounts
from daemon.research.offered import active_tasks
from daemon.research.synthesise import Reading
from daemon.store.evidence import RunFolder

NOTHING = Amounts()
_CENTRAL_SHOWN = 10


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run: findings, exclusions with reasons, the sources' answers, and the
    cost.
    """

    findings: tuple[Finding, ...]
    skips: tuple[Skip, ...]
    answers: tuple[Answer, ...]
    quotes_checked: int  # verified in the stored text, byte for byte
    quotes_total: int
    requests: int  # sent over the network, for answers and for documents
    bytes: int  # of the documents received over it
    citations: tuple[Citations, ...] = ()  # indexes' answers about the works found
    graph: Mapping[str, Any] = field(default_factory=dict)  # of those, in export format
    stopped_early: bool = False  # before everything was gathered, or written
    stopped_why: str = ""  # the budget that ended it; "" when it was the user
    spent: Amounts = NOTHING  # by the ledger: every request
    remarks: tuple[str, ...] = ()  # what hooks changed, and which of them failed
    answered: Mapping[str, str] = field(default_factory=dict)  # task id → the finding that stands
    readings: tuple[Reading, ...] = ()  # of the questions that became findings, the best first
    weighed: tuple[FindingSource, ...] = ()  # the documents of those readings
    near: Mapping[str, Sequence[NearPassage]] = field(default_factory=dict)  # by task id


def all_answers(result: RunResult) -> tuple[Answer, ...]:
    """All answers of sources: to the tasks, and about citations."""
    return (*result.answers, *map(_citation_answer, result.citations))


def summary_json(result: RunResult) -> dict[str, Any]:
    """Return the entry of a finished run for run.json."""
    return {
        "findings": [finding.id for finding in result.findings],
        "documents": {
            finding.id: [source.document.key for source in finding.sources]
            for finding in result.findings
        },
        "answered": dict(result.answered),
        "skipped": len(result.skips),
        "quotes": {"checked": result.quotes_checked, "total": result.quotes_total},
        "requests": result.requests,
        "bytes": result.bytes,
        "works": len(result.graph.get("works", ())),
        "citations": len(result.graph.get("citations", ())),
    }


def record(result: RunResult, folder: RunFolder) -> str:
    """Format a run as Markdown: tasks, answers, findings with their quotes, and exclusions."""
    agenda = folder.agenda
    lines = [f"# Run {folder.id}", "", f"Began {folder.started_at.isoformat()}, {agenda.trigger}."]
    if result.stopped_early:
        whose = f"because {result.stopped_why}" if result.stopped_why else "by the user"
        lines.append(f"Stopped early {whose}: what was not gathered by then is missing.")
    answers = dict[str, list[Answer]]()
    for task_id, answer in folder.answers():
        answers.setdefault(task_id, []).append(answer)
    for task in active_tasks(agenda):
        lines += ["", f"## {_line(task.topic)}", "", f"Asked: {_line(task.query)}", ""]
        lines += [_answer(answer) for answer in answers.get(task.id, [])]
        if task.id in result.answered:
            lines += ["", f"Already answered in {result.answered[task.id]}."]
        for finding in result.findings:
            if finding.task.id == task.id:
                lines += ["", *_finding(finding)]
    lines += _written(result, folder)
    lines += _followed(result)
    if result.skips:
        lines += ["", "## Left out", ""]
        lines += [
            f"- {_line(skip.title)} <{_line(skip.url)}>: {_line(skip.why)}"
            f"{f' [{skip.note}]' if skip.note else ''}"
            for skip in result.skips
        ]
    if result.remarks:
        lines += ["", "## Hooks", "", *(f"- {_line(remark)}" for remark in result.remarks)]
    lines += ["", f"Quotes checked: {result.quotes_checked} of {result.quotes_total}.", ""]
    return "\n".join(lines)


def _written(result: RunResult, folder: RunFolder) -> Iterator[str]:
    """Format what a model wrote, the sources it cites, the weightiest first, and what is next."""
    texts = [each for each in result.findings if each.written and each.written.sentences]
    if not texts:
        return
    yield from ("", "## Written", "")
    cited = Counter[str]()
    for finding in texts:
        assert finding.written is not None  # noqa: S101 - by the choice above
        yield f"- {_line(finding.title)} (by {_line(finding.written.model)})"
        for sentence in finding.written.sentences:
            yield f"  - {_line(sentence.text)}"
            yield from (f"    - {_placed(quote.passage)}" for quote in sentence.cites)
            cited.update(quote.document.id for quote in sentence.cites)
    sources = {one.document.id: one for each in texts for one in each.sources}
    ranked = sorted(cited, key=lambda id_: (-sources[id_].credibility.score, -cited[id_], id_))
    yield from ("", "## Citations by weight", "")
    for place, id_ in enumerate(ranked, start=1):
        hit, score = sources[id_].document.hit, sources[id_].credibility.score
        times = f"credibility {score:.2f}, cited {cited[id_]} times"
        yield f"{place}. {_line(hit.title)} <{_line(hit.url)}>: {times}"
    if redacted := _redacted(folder):
        yield from ("", f"Taken out of what models were given: {redacted}.")
    yield from ("", "## What's next", "")
    yield from _next(result, folder)


def _redacted(folder: RunFolder) -> str:
    """Return how many numbers and addresses of persons were redacted, by kind."""
    counts = Counter[str]()
    for kept in folder.models.written().values():
        counts.update(kept.get("redacted", {}))
    return ", ".join(f"{count} [{kind}]" for kind, count in sorted(counts.items()))


def _next(result: RunResult, folder: RunFolder) -> Iterator[str]:
    """Format what is left: open questions, unread sources, and results that differ."""
    answered = {each.task.id for each in result.findings} | result.answered.keys()
    left = [
        f"- Unanswered: {_line(each.query)}"
        for each in active_tasks(folder.agenda)
        if each.id not in answered
    ]
    for kept in folder.models.written().values():
        unread = (*kept.get("unread", ()), *kept["omitted"])
        left += [f"- Not read: <{_line(each['url'])}>: {_line(each['why'])}" for each in unread]
    for finding in result.findings:
        if finding.contrasts:
            left.append(f"- Sources differ: {_line(finding.title)}")
        if finding.independent_sources == 1:
            left.append(f"- Only one source supports it: {_line(finding.title)}")
    yield from left or ["- Nothing is open."]


def _citation_answer(citations: Citations) -> Answer:
    is_trouble = citations.status in (SourceStatus.DEGRADED, SourceStatus.UNAVAILABLE)
    return Answer(
        source=citations.source,
        query=f"citations of {citations.work}",
        status=citations.status,
        hits=(*citations.references, *citations.citing),
        why=citations.why if is_trouble else "",
        seconds=citations.seconds,
        requests=citations.requests,
    )


def _followed(result: RunResult) -> Iterator[str]:
    """Format whose citations were queried, the indexes' answers, and the central works."""
    if not result.citations:
        return
    works, links = result.graph["works"], result.graph["citations"]
    yield from ("", "## Citations", "")
    yield f"Works: {len(works)}, citations between them: {len(links)}; all in citations.json."
    yield ""
    for citations in result.citations:
        summary = f"references {len(citations.references)}, citing works {len(citations.citing)}"
        why = f": {_line(citations.why)}" if citations.why else ""
        yield f"- {citations.source} on {_line(citations.work)}: {citations.status}, {summary}{why}"
    yield from ("", "The most central of them:", "")
    for work in works[:_CENTRAL_SHOWN]:
        yield f"- {work['pagerank']:.4f} {_line(work['title'])} <{_line(work['url'])}>"


def _answer(answer: Answer) -> str:
    why = f": {_line(answer.why)}" if answer.why else ""
    return f"- {answer.source}: {answer.status}, {len(answer.hits)} results{why}"


def _finding(finding: Finding) -> Iterator[str]:
    yield f"### {_line(finding.title)}"
    yield ""
    for source in finding.sources:
        document = source.document
        yield f"- <{_line(document.hit.url)}>, {_line(document.key)}, documents/{document.id}.txt,"
        yield f"  read {document.fetched_at.isoformat()} ({document.method}),"
        yield f"  sha256 {document.sha256}, credibility {source.credibility.score:.2f}"
    yield ""
    yield f"Confidence {finding.confidence}. Independent sources on it:"
    yield f"{finding.independent_sources}; documents checked: {finding.checked}."
    yield ""
    for quote in finding.quotes:
        yield f"> {_placed(quote.passage)}"
        yield ""
    yield from _standing(finding)


def _standing(finding: Finding) -> Iterator[str]:
    """Format the sources that agree, that only repeat and that differ, each with its place."""
    lines = [
        f"- agrees with {_placed(each.quote.passage)}: {_placed(voice.passage)}"
        for each in finding.agreed
        for voice in each.voices
    ]
    lines += [f"- repeats ({each.because}): <{_line(each.hit.url)}>" for each in finding.repeats]
    for each in finding.contrasts:
        how = "contradicts" if each.is_contradiction else "differs from"
        where = f" [{each.note}]" if each.note else ""
        lines.append(f"- {how} {_placed(each.quote.passage)}:{where} {_placed(each.other)}")
    lines += [f"- also read: <{_line(hit.url)}>" for hit in finding.also_read]
    yield from lines
    if lines:
        yield ""


def _placed(passage: Passage) -> str:
    place = f"{passage.document} [{passage.start}:{passage.end}]"
    return f"{place} {_line(passage.text)}" if passage.text else place


def _line(text: str) -> str:
    return " ".join(text.split())
