"""What a run did, for the record: numbers for run.json, and the whole story as research.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from daemon.model.evidence import Answer
from daemon.model.finding import Finding, Skip
from daemon.research.gather import wanted
from daemon.store.evidence import RunFolder


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run found, what it left out and why, what the sources said, and what it took."""

    findings: tuple[Finding, ...]
    skips: tuple[Skip, ...]
    answers: tuple[Answer, ...]
    quotes_checked: int  # found in the stored text, byte for byte
    quotes_total: int
    requests: int  # that went over the network, for answers and for documents
    bytes: int  # of the documents that came from there


def told(result: RunResult) -> dict[str, Any]:
    """Return what run.json says of a run that is done."""
    return {
        "findings": [finding.id for finding in result.findings],
        "skipped": len(result.skips),
        "quotes": {"checked": result.quotes_checked, "total": result.quotes_total},
        "requests": result.requests,
        "bytes": result.bytes,
    }


def record(result: RunResult, folder: RunFolder) -> str:
    """Tell a run as Markdown: tasks, answers, findings with their quotes, and what was left out."""
    agenda = folder.agenda
    lines = [f"# Run {folder.id}", "", f"Began {folder.started_at.isoformat()}, {agenda.trigger}."]
    answers = dict[str, list[Answer]]()
    for task_id, answer in folder.answers():
        answers.setdefault(task_id, []).append(answer)
    for task in wanted(agenda):
        lines += ["", f"## {_line(task.topic)}", "", f"Asked: {_line(task.query)}", ""]
        lines += [_answer(answer) for answer in answers.get(task.id, [])]
        for finding in result.findings:
            if finding.task.id == task.id:
                lines += ["", *_finding(finding)]
    if result.skips:
        lines += ["", "## Left out", ""]
        lines += [
            f"- {_line(skip.title)} <{_line(skip.url)}>: {_line(skip.why)}"
            f"{f' [{skip.note}]' if skip.note else ''}"
            for skip in result.skips
        ]
    lines += ["", f"Quotes checked: {result.quotes_checked} of {result.quotes_total}.", ""]
    return "\n".join(lines)


def _answer(answer: Answer) -> str:
    why = f": {_line(answer.why)}" if answer.why else ""
    return f"- {answer.source}: {answer.status}, {len(answer.hits)} results{why}"


def _finding(finding: Finding) -> Iterator[str]:
    document = finding.document
    yield f"### {_line(finding.title)}"
    yield ""
    yield f"<{_line(document.hit.url)}>, {_line(document.key)}, documents/{document.id}.txt"
    yield f"Had {document.fetched_at.isoformat()} ({document.method}), sha256 {document.sha256}."
    yield f"Credibility {finding.credibility.score:.2f}, confidence {finding.confidence}."
    yield ""
    for quote in finding.quotes:
        yield f"> [{quote.start}:{quote.end}] {_line(quote.text)}"
        yield ""


def _line(text: str) -> str:
    return " ".join(text.split())
