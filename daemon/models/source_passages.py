"""What a model is given of a source: sentences that may be quoted, each with an id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from daemon.model.evidence import Passage
from daemon.model.finding import Finding, FindingSource
from daemon.models.barrier import Line, clean
from daemon.models.redaction import redact
from daemon.research.quotable import COMMANDS, keys_in, quotable

_MAX_CHARACTERS = 5000  # of one source for its reader
_MAX_WRITER_CHARACTERS = 900  # characters of one source, about 300 tokens
_MAX_LENGTH = 500  # characters of a sentence


@dataclass(frozen=True, slots=True)
class SourcePassages:
    """The sentences of one source; `places` says where each stands, by its id."""

    id: str
    title: str
    url: str
    lines: tuple[Line, ...]
    places: Mapping[str, Passage]
    quoted: tuple[str, ...]  # ids of sentences that the finding quotes


class Reading(BaseModel):
    """What a reader chose of a source, by the ids of sentences."""

    model_config = ConfigDict(extra="forbid")

    contribution: str = Field(max_length=8)
    abstract: list[str] = Field(max_length=4)
    methods: list[str] = Field(max_length=5)


def passages_of(id_: str, source: FindingSource, finding: Finding) -> SourcePassages:
    """Return the sentences of a source in their order: those quoted, then those on the question."""
    document = source.document
    quotes = {
        quote.passage.start: quote.passage
        for quote in finding.quotes
        if quote.document.id == document.id
    }
    terms = keys_in(f"{finding.task.topic} {finding.task.query}")
    has_commands = any(flag.kind in COMMANDS for flag in source.flags)
    found = quotable(document, terms, has_commands=has_commands)
    ranked = sorted(found, key=lambda one: -len(keys_in(one.text) & terms))
    length = sum(len(each.text) for each in quotes.values())
    places = dict(quotes)
    for one in ranked:
        length += len(one.text)
        if length > _MAX_CHARACTERS:
            break
        if one.start not in places and len(one.text) <= _MAX_LENGTH:
            places[one.start] = Passage(document.id, one.start, one.end, one.text)
    ordered = {f"{id_}{n}": places[at] for n, at in enumerate(sorted(places), start=1)}
    lines = tuple(Line(name, redact(clean(each.text)).text) for name, each in ordered.items())
    quoted = tuple(name for name, each in ordered.items() if each.start in quotes)
    return SourcePassages(id_, document.hit.title, document.hit.url, lines, ordered, quoted)


def chosen(source: SourcePassages, reading: Reading | None) -> SourcePassages:
    """Return what of a source the writer is given: what is quoted, then what its reader chose."""
    wanted = list(source.quoted)
    if reading is not None:
        wanted += [reading.contribution, *reading.abstract, *reading.methods]
    else:
        wanted += [line.id for line in source.lines]
    texts, kept, length = {line.id: line.text for line in source.lines}, set[str](), 0
    for id_ in dict.fromkeys(wanted):
        if id_ not in texts:
            continue  # a reader may name what is not there
        length += len(texts[id_])
        if kept and length > _MAX_WRITER_CHARACTERS:
            break
        kept.add(id_)
    return replace(source, lines=tuple(line for line in source.lines if line.id in kept))


def reader_notes(shard: Sequence[SourcePassages], readings: Mapping[str, Reading | None]) -> str:
    """Return a reader's notes as Markdown for the folder of a run: what it chose, word for word."""
    parts = []
    for source in shard:
        reading, texts = readings.get(source.id), {line.id: line.text for line in source.lines}
        parts.append(f"# {source.title}\n\n<{source.url}>")
        if reading is None:
            parts.append("Omitted: it was not read.")
            continue
        parts.append(f"**Contribution:** {texts.get(reading.contribution, 'none')}")
        for head, ids in (("Abstract", reading.abstract), ("Methods", reading.methods)):
            lines = [f"- {texts[id_]} [{id_}]" for id_ in ids if id_ in texts]
            if lines:
                parts.append("\n".join([f"**{head}**", "", *lines]))
    return "\n\n".join(parts) + "\n"
