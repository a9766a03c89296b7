"""A finding as a note: short, calm, and with nothing live in it from outside.

Without a language model the sentences of a finding are its quotes, word for word; they stand once,
at the top, each leading to its place in the source.
"""

import re
from collections.abc import Sequence
from datetime import UTC, tzinfo
from math import prod

from daemon.findings.agreement import agreement_text
from daemon.findings.block import REVIEW_BLOCK
from daemon.findings.outside import (
    KINDS,
    by_line,
    credit,
    outside_link,
    place_of,
    safe_url,
    source_name,
)
from daemon.model.agenda import Task
from daemon.model.evidence import Document, Flag, Near
from daemon.model.finding import Finding
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker

_UNTRUSTED = 0.2  # a lone factor that stands above all others: retracted, predatory
_CONNECTIONS = 5
_NAME_LEAST = 4  # characters a note's name needs for its mention to mean something

_FLAGS = {
    "instructions": "contains text that addresses an assistant; it was kept as data and not quoted",
    "hidden text": "contains text that a reader would not see; it was left out",
    "zero-width characters": "contains invisible characters; they were taken out",
    "tag characters": "contains invisible characters that spell words; they were taken out",
    "bidi characters": "contains characters that turn the reading direction; they were taken out",
    "look-alike letters": "mixes letters of several alphabets that look alike",
}


def finding_text(finding: Finding, *, link: Linker, tz: tzinfo = UTC) -> str:
    """Write the note of a finding. Times are told in `tz`, without an offset."""
    parts = [
        _properties(finding, link, tz),
        f"# {inert_line(finding.title) or 'Untitled'}",
        _quotes(finding),
        _figures(finding.document, tz),
        *_warnings(finding),
        *agreement_text(finding, link),
        _concepts(finding.concepts),
        _connections(finding, link),
        f"**Found because** {_because(finding.task, link)}.",
        f"## Source\n\n{_source(finding.document, tz)}",
        _sum(finding),
        REVIEW_BLOCK,
    ]
    return "\n\n".join(part for part in parts if part)


def _properties(finding: Finding, link: Linker, tz: tzinfo) -> str:
    hit = finding.document.hit
    lines = [
        "---",
        "type: finding",
        f"lacuna_id: {yaml_text(finding.id)}",
        "status: pending",
        f"created: {stamp(finding.created_at, tz)}",
        f"source: {yaml_text(safe_url(hit.url) or hit.url)}",
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


def _quotes(finding: Finding) -> str:
    lines = []
    for passage in finding.quotes:
        place = place_of(passage.text, finding.document)
        lines += [f"> {inert_line(passage.text)}{f' [↗]({place})' if place else ''}", ">"]
    return "\n".join([*lines, f"> — {credit(finding.document.hit)}"]) if lines else ""


def _figures(document: Document, tz: tzinfo) -> str:
    """Structured data as a table, with whose it is and of which day."""
    if not document.hit.figures:
        return ""
    day = document.fetched_at.astimezone(tz).strftime("%Y-%m-%d")
    rows = [f"| {inert_line(what)} | {inert_line(value)} |" for what, value in document.hit.figures]
    told = f"**Figures**, as {source_name(document.hit.source)} gave them on {day}:"
    return "\n".join([told, "", "| Figure | Value |", "| --- | --- |", *rows])


def _warnings(finding: Finding) -> list[str]:
    flags = finding.flags
    told = [_told(flag) for flag in flags]
    factors = finding.credibility.factors
    above_all = [name for name, value in factors if len(factors) == 1 and value <= _UNTRUSTED]
    return [
        *(f"**Careful:** {inert_line(name)}." for name in above_all),
        *(f"**Careful:** this source {what}." for what in dict.fromkeys(told)),
    ]


def _told(flag: Flag) -> str:
    what = _FLAGS.get(flag.kind, f"was screened: {inert_line(flag.kind)}")
    return f"{what} (score {flag.score:.1f}, flagged from 1.0)" if flag.score else what


def _concepts(concepts: Sequence[str]) -> str:
    return f"**Key concepts:** {' · '.join(map(inert_line, concepts))}" if concepts else ""


def _connections(finding: Finding, link: Linker) -> str:
    nearest = {near.path: near for near in reversed(finding.connects)}
    lines = [
        f"- {link(near.path)} — {_why_near(near, finding.document.text, link.name(near.path))}"
        for near in sorted(nearest.values(), key=lambda near: (-near.similarity, near.path))
    ]
    return "\n".join(["**Connects to**", "", *lines[:_CONNECTIONS]]) if lines else ""


def _why_near(near: Near, text: str, name: str) -> str:
    section = f" under “{inert_line(near.heading)}”" if near.heading not in ("", name) else ""
    why = f"near in meaning{section} ({near.similarity:.2f})"
    is_named = len(name) >= _NAME_LEAST and re.search(
        rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE
    )
    return f"the source names it; {why}" if is_named else why


def _because(task: Task, link: Linker) -> str:
    reason = link.linked(task.because, task.note, topic=task.topic)
    return f"{reason}, searching for “{inert_line(task.query)}”"


def _source(document: Document, tz: tzinfo) -> str:
    hit = document.hit
    by = f" by {inert_line(by_line(hit))}" if by_line(hit) else ""
    dated = f" ({inert_line(hit.published)})" if hit.published else ""
    finders = " and ".join(
        source_name(name) for name in dict.fromkeys((hit.source, *document.also_from))
    )
    kind = KINDS[hit.source_type]
    told = f" Note: {inert_line(document.note)}." if document.note else ""
    line = f"{outside_link(hit.title or hit.url, hit.url)}{by}{dated}."
    return f"{line} A {kind}, found by {finders}, {_had(document, tz)}.{told}"


def _had(document: Document, tz: tzinfo) -> str:
    """Say what was read, and when: a summary is what a source says, not what was fetched."""
    day = document.fetched_at.astimezone(tz).strftime("%Y-%m-%d")
    if document.extracted_by == "abstract":
        return f"known by its summary, as {source_name(document.hit.source)} gave it on {day}"
    return f"fetched on {day}"


def _sum(finding: Finding) -> str:
    """Spell out the product, so that a reader can disagree with a factor."""
    credibility = finding.credibility
    told = f"**Credibility {credibility.score:.2f}**"
    if credibility.factors:
        factors = " × ".join(
            f"{value:.2f} ({inert_line(name)})" for name, value in credibility.factors
        )
        product = prod(value for _, value in credibility.factors)
        is_capped = round(product, 2) > round(credibility.score, 2)
        told += f" = {factors}{f', capped at {credibility.score:.2f}' if is_capped else ''}"
    lines = [told]
    if finding.centrality is not None:
        lines.append(
            f"Centrality {finding.centrality:.2f} among the works that cite each other here; it"
            " ranks, and does not change the credibility."
        )
    return "\n\n".join(lines)
