"""Findings with what a language model wrote for them, out of the run's folder."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from daemon.model.agenda import Origin
from daemon.model.evidence import Passage
from daemon.model.finding import Finding, Quote, Written, WrittenSentence
from daemon.store.evidence import RunFolder


def with_written(findings: Sequence[Finding], folder: RunFolder) -> tuple[Finding, ...]:
    """Return the findings; those that a model wrote for have its text, and its concepts.

    A question of the user remains the title. A sentence whose quotes are not, byte for byte, in the
    stored text is excluded.
    """
    kept = folder.models.written()
    return tuple(
        _with(each, kept[each.id], folder) if each.id in kept else each for each in findings
    )


def _with(finding: Finding, stored: Mapping[str, Any], folder: RunFolder) -> Finding:
    documents = {source.document.id: source.document for source in finding.sources}
    sentences = []
    for each in stored["sentences"]:
        cites = [
            Quote(documents[one["document"]], Passage(**one))
            for one in each["cites"]
            if one["document"] in documents
            and folder.text(one["document"])[one["start"] : one["end"]] == one["text"]
        ]
        if cites and len(cites) == len(each["cites"]):
            sentences.append(WrittenSentence(each["text"], tuple(cites)))
    written = Written(stored["model"], tuple(sentences), stored["passages"], stored["partial"])
    if not sentences:
        return replace(finding, written=written)
    chosen = stored.get("connects", ())
    is_own = finding.task.origin is Origin.QUESTION
    return replace(
        finding,
        written=written,
        concepts=tuple(stored["concepts"]) or finding.concepts,
        title=finding.title if is_own else stored.get("title") or finding.title,
        connects=tuple(each for each in finding.connects if each.near.path in chosen)
        or finding.connects,
    )
