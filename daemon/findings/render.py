"""A finding as a note: short, plain, and with no active untrusted content.

Without a language model the sentences of a finding are its quotes, verbatim, each with a link to
its place in the source.
"""

import re
from collections.abc import Sequence
from datetime import UTC, tzinfo

from daemon.findings.answer import answer_text
from daemon.findings.block import REVIEW_BLOCK
from daemon.findings.model_paragraphs import written_text
from daemon.findings.safe_links import safe_url
from daemon.findings.sources import sources_text, warnings
from daemon.model.agenda import Task
from daemon.model.evidence import Document
from daemon.model.finding import Abbreviation, Connection, Finding, NoteLine
from daemon.model.source_names import source_name
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker

_MIN_NAME_LENGTH = 4  # minimum length of a note's name for mentions of it to count


def finding_text(finding: Finding, *, link: Linker, tz: tzinfo = UTC) -> str:
    """Return the note of a finding. Times are in `tz`, without an offset."""
    parts = [
        _properties(finding, link, tz),
        f"# {inert_line(finding.title) or 'Untitled'}",
        *warnings(finding.sources),
        *written_text(finding.written),
        *answer_text(finding, link),
        _abbreviations(finding.abbreviations),
        _beside(finding.beside, link),
        *(_figures(source.document, tz) for source in finding.sources),
        _concepts(finding.concepts),
        _connections(finding, link),
        _because(finding.task, link),
        *sources_text(finding, tz),
        REVIEW_BLOCK,
    ]
    return "\n\n".join(part for part in parts if part)


def _properties(finding: Finding, link: Linker, tz: tzinfo) -> str:
    hit = finding.document.hit
    urls = dict.fromkeys(_url(source.document) for source in finding.sources)
    lines = [
        "---",
        "type: finding",
        f"lacuna_id: {yaml_text(finding.id)}",
        "status: pending",
        f"created: {stamp(finding.created_at, tz)}",
        f"source: {yaml_text(_url(finding.document))}",
        "sources:",
        *(f"  - {yaml_text(url)}" for url in urls),
        f"source_type: {hit.source_type}",
        f"credibility: {finding.credibility.score:.2f}",
        f"confidence: {finding.confidence}",
        f"topic: {yaml_text(finding.task.topic)}",
        *([f"because: {link.as_property(finding.task.note)}"] if finding.task.note else []),
        f"run: {yaml_text(finding.run)}",
        "tags:",
        "  - research-agent",
        "---",
    ]
    return "\n".join(lines)


def _url(document: Document) -> str:
    return safe_url(document.hit.url) or document.hit.url


def _figures(document: Document, tz: tzinfo) -> str:
    """Format structured data as a table, with its source and day."""
    if not document.hit.figures:
        return ""
    day = document.fetched_at.astimezone(tz).strftime("%Y-%m-%d")
    rows = [f"| {inert_line(what)} | {inert_line(value)} |" for what, value in document.hit.figures]
    heading = f"**Figures** from {source_name(document.hit.source)}, on {day}:"
    return "\n".join([heading, "", "| Figure | Value |", "| --- | --- |", *rows])


def _beside(line: NoteLine | None, link: Linker) -> str:
    """Show the line of the user's note that a quote speaks to."""
    return f"**Your note** {link(line.path)} says: “{inert_line(line.text)}”" if line else ""


def _abbreviations(found: Sequence[Abbreviation]) -> str:
    listed = " · ".join(f"{inert_line(each.short)}: {inert_line(each.long)}" for each in found)
    return f"**Abbreviations:** {listed}" if listed else ""


def _concepts(concepts: Sequence[str]) -> str:
    return f"**Key concepts:** {' · '.join(map(inert_line, concepts))}" if concepts else ""


def _connections(finding: Finding, link: Linker) -> str:
    text = "\n".join(source.document.text for source in finding.sources)
    lines = [
        f"- {link(each.near.path)} — {why_connected(each, text, link)}" for each in finding.connects
    ]
    return "\n".join(["**Connects to**", "", *lines]) if lines else ""


def why_connected(connection: Connection, text: str, link: Linker) -> str:
    """Return why a note is connected with a text: it is named there, or shares its concepts."""
    name = link.name(connection.near.path)
    is_named = connection.is_named or (
        len(name) >= _MIN_NAME_LENGTH
        and any(map(str.isalpha, name))
        and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    )
    if is_named:
        return "mentioned in the source"
    return f"also about {_listed([inert_line(word) for word in connection.shared])}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _because(task: Task, link: Linker) -> str:
    reason = link.linked(task.because, task.note, topic=task.topic).rstrip(".")
    return f"**Found because:** {reason}." if reason else ""
