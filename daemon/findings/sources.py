"""The sources of a finding: one line for each, and folded figures."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from math import prod

from daemon.findings.safe_links import KINDS, by_line, name_of, outside_link
from daemon.model.evidence import Credibility, Document, Flag, SourceType
from daemon.model.finding import Finding, FindingSource
from daemon.model.source_names import source_name
from vault_adapters.inert import inert_line

_UNTRUSTED = 0.2  # a single factor that outweighs all others: retracted, predatory
_SURE = 1.0  # the score from which text counts as an instruction
_MAX_ALSO_NAMED = 6
_ATTACKS = {
    "instructions": "contains instructions for an AI assistant; they are not quoted",
    "tag characters": "contains invisible characters that spell words; they were removed",
    "bidi characters": "contains characters that reverse the reading direction; they were removed",
}


def sources_text(finding: Finding, tz: tzinfo) -> list[str]:
    """Return the paragraphs of the section "Sources"."""
    lines = [f"{number}. {_source(each, tz)}" for number, each in enumerate(finding.sources, 1)]
    parts = ["## Sources", "\n".join(lines)]
    if finding.also_read:
        also = [outside_link(hit.title or hit.url, hit.url) for hit in finding.also_read]
        more = f" and {len(also) - _MAX_ALSO_NAMED} more" if len(also) > _MAX_ALSO_NAMED else ""
        parts.append(f"Also read: {', '.join(also[:_MAX_ALSO_NAMED])}{more}.")
    return [*parts, _details(finding, tz)]


def warnings(sources: Sequence[FindingSource]) -> list[str]:
    """Return the warnings that the reader must see first; usually none."""
    found: dict[str, None] = {}
    for source in sources:
        whose = "this source"
        if len(sources) > 1:
            whose = f"“{inert_line(source.document.hit.title)}”"
        factors = source.credibility.factors
        if len(factors) == 1 and factors[0][1] <= _UNTRUSTED:
            found[f"**Careful:** {whose}: {inert_line(factors[0][0])}."] = None
        found.update(dict.fromkeys(attacks(source.flags, whose)))
    return list(found)


def attacks(flags: Iterable[Flag], whose: str) -> list[str]:
    """Return a warning for each sign of an attack in a document, which is called `whose`."""
    return [f"**Careful:** {whose} {_ATTACKS[flag.kind]}." for flag in flags if _is_attack(flag)]


def _is_attack(flag: Flag) -> bool:
    """Return whether a flag is for something no honest page needs; "hidden text" alone is a cookie
    banner.
    """
    return flag.kind in _ATTACKS and (not flag.score or flag.score >= _SURE)


def _source(source: FindingSource, tz: tzinfo) -> str:
    document, hit = source.document, source.document.hit
    by = f" by {inert_line(by_line(hit))}" if by_line(hit) else ""
    dated = f" ({inert_line(hit.published)})" if hit.published else ""
    note = f" Note: {inert_line(document.note)}." if document.note else ""
    line = f"{outside_link(name_of(hit) or hit.url, hit.url)}{by}{dated}"
    return f"{line}. {_worth(source.credibility)} {_read(document, tz)}.{note}"


def _worth(credibility: Credibility) -> str:
    """Describe the credibility and its factors; unknown factors are omitted."""
    known = [inert_line(name) for name, _ in credibility.factors if not name.endswith("not known")]
    why = f": {', '.join(known)}" if known else ""
    return f"Credibility {credibility.score:.2f}{why}."


def _read(document: Document, tz: tzinfo) -> str:
    """Describe what was read, and when: a summary comes from a source, and was not fetched."""
    hit = document.hit
    day = document.fetched_at.astimezone(tz).strftime("%Y-%m-%d")
    finders = [source_name(name) for name in dict.fromkeys((hit.source, *document.also_from))]
    found = f"{KINDS[hit.source_type].capitalize()}, found by {' and '.join(finders)}"
    if hit.source_type is SourceType.LIBRARY and len(finders) == 1:
        return f"From your library, read on {day}"
    if document.extracted_by == "abstract":
        return f"{found}; only its summary was read, on {day}"
    return f"{found}, read on {day}"


def _details(finding: Finding, tz: tzinfo) -> str:
    """Fold the figures, so that a reader can check each of them."""
    searched = f"Searched for “{inert_line(finding.task.query)}”; documents read for it:"
    counts = f"{finding.checked}, independent sources that answer: {finding.independent_sources}."
    lines = [
        "> [!info]- How this was found and scored",
        f"> {searched} {counts}",
        ">",
        *(f"> - {line}" for source in finding.sources for line in _breakdown(source)),
        *(f"> - {line}" for line in _likeness(finding)),
    ]
    return "\n".join(lines)


def _breakdown(source: FindingSource) -> Iterator[str]:
    credibility = source.credibility
    line = f"Credibility of {_title(source.document)}: {credibility.score:.2f}"
    if credibility.factors:
        factors = " × ".join(
            f"{value:.2f} ({inert_line(name)})" for name, value in credibility.factors
        )
        product = prod(value for _, value in credibility.factors)
        is_capped = round(product, 2) > round(credibility.score, 2)
        line += f" = {factors}{f', capped at {credibility.score:.2f}' if is_capped else ''}"
    yield line
    if source.centrality is not None:
        yield (
            f"Centrality of {_title(source.document)}: {source.centrality:.2f} among the works that"
            " cite each other here; it affects the order, not the credibility"
        )
    for flag in source.flags:
        if not _is_attack(flag):
            yield f"Screening of {_title(source.document)}: {inert_line(flag.kind)} ({flag.count})"


def _likeness(finding: Finding) -> Iterator[str]:
    found: Sequence[str] = [
        f"{inert_line(each.near.path)} {each.near.similarity:.2f}" for each in finding.connects
    ]
    if found:
        yield f"Similarity to your notes (cosine): {', '.join(found)}"


def _title(document: Document) -> str:
    return f"“{inert_line(document.hit.title)}”"
