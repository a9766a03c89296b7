"""How a finding stands among the evidence, in a few lines: who agrees, who repeats, who denies."""

from collections.abc import Iterator, Sequence

from daemon.findings.outside import credit, outside_link
from daemon.model.evidence import Hit, Passage
from daemon.model.finding import Agreement, Dispute, Finding, Said
from vault_adapters.inert import inert_line
from vault_adapters.wikilink import Linker

_SHOWN = 3  # voices, and echoes: more only add length


def agreement_text(finding: Finding, link: Linker) -> list[str]:
    """Return the paragraphs, none of them empty."""
    agreement = finding.agreement
    lines = [*map(_voice, agreement.voices[:_SHOWN])]
    if len(agreement.voices) > _SHOWN:
        lines.append(f"- and {len(agreement.voices) - _SHOWN} more")
    lines += _repeated(agreement.echoes)
    head = f"**Confidence {finding.confidence}**: {_head(agreement)}"
    parts = ["\n".join([head, "", *lines]) if lines else head]
    if agreement.disputes:
        told = dict.fromkeys(
            line for dispute in agreement.disputes for line in _dispute(dispute, link)
        )
        parts.append("\n".join(["**Contradicted:** not all say so.", "", *told]))
    return parts


def _head(agreement: Agreement) -> str:
    agreeing = 1 + len(agreement.voices)
    sources = max(agreement.sources, agreeing)
    if sources == 1:
        return "no other source here speaks to it."
    if agreeing == 1:
        return f"1 of {sources} independent sources here says so."
    mean = agreement.mean_credibility
    worth = f", of mean credibility {mean:.2f}" if mean is not None else ""
    return f"{agreeing} of {sources} independent sources here say so{worth}."


def _voice(said: Said) -> str:
    return f"- {_named(said.hit)}: “{_words(said.passage)}”"


def _repeated(echoes: Sequence[Said]) -> Iterator[str]:
    """Name those that are no voice of their own, and why."""
    if not echoes:
        return
    named = [f"{_named(said.hit)} ({inert_line(said.because)})" for said in echoes[:_SHOWN]]
    more = len(echoes) - len(named)
    rest = f" and {more} more" if more > 0 else ""
    yield f"- only repeated, and not counted: {', '.join(named)}{rest}"


def _dispute(dispute: Dispute, link: Linker) -> Iterator[str]:
    other = f"your note {link(dispute.note)}" if dispute.hit is None else _named(dispute.hit)
    yield f"- here: “{_words(dispute.quote)}”"
    yield f"- {other}: “{_words(dispute.other)}”"


def _named(hit: Hit) -> str:
    return outside_link(hit.title or credit(hit), hit.url)


def _words(passage: Passage) -> str:
    return inert_line(passage.text)
