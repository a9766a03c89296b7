"""The part of a source that a model gets: quotable sentences, each with an id."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, Field, create_model

from daemon.model.evidence import Passage
from daemon.model.finding import Finding, FindingSource
from daemon.models.barrier import Line, clean
from daemon.models.forms import list_of, one_of
from daemon.models.prompt_tokens import tokens_in
from daemon.models.redaction import redact
from daemon.research.quotable import COMMANDS, keys_in, quotable

_MAX_CHARACTERS = 4000  # of one source for its reader
MAX_SOURCE_TOKENS = 300  # of one source for the writer
_MAX_LENGTH = 500  # characters of a sentence
_MAX_ABSTRACT, _MAX_METHODS = 4, 5  # sentences


@dataclass(frozen=True, slots=True)
class SourcePassages:
    """The sentences of one source; `places` says where each stands, by its id."""

    id: str
    title: str
    url: str
    lines: tuple[Line, ...]
    places: Mapping[str, Passage]
    quoted: tuple[str, ...]  # ids of sentences that the finding quotes
    redacted: Mapping[str, int] = field(default_factory=dict)  # by kind, in `lines`
    dropped: int = 0  # sentences that did not fit


class Reading(BaseModel):
    """What a reader chose of a source, by the ids of sentences."""

    model_config = ConfigDict(extra="forbid")

    contribution: str
    abstract: list[str] = Field(max_length=_MAX_ABSTRACT)
    methods: list[str] = Field(max_length=_MAX_METHODS)


def reading_form(ids: Sequence[str]) -> type[Reading]:
    """Return the form of a reading that can name nothing but `ids`."""
    form: type[Reading] = create_model(
        "Reading",
        __base__=Reading,
        contribution=(one_of(ids), ...),
        abstract=(list_of(ids), Field(max_length=_MAX_ABSTRACT)),
        methods=(list_of(ids), Field(max_length=_MAX_METHODS)),
    )
    return form


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
    redacted = {name: redact(clean(each.text)) for name, each in ordered.items()}
    return SourcePassages(
        id_,
        redact(clean(document.hit.title)).text,
        document.hit.url,
        tuple(Line(name, each.text) for name, each in redacted.items()),
        ordered,
        tuple(name for name, each in ordered.items() if each.start in quotes),
        dict(sum((Counter(each.counts) for each in redacted.values()), Counter[str]())),
    )


def lines_for_writer(source: SourcePassages, reading: Reading | None) -> SourcePassages:
    """Return the lines of a source for the writer, best first: small models use the first ones.

    What a reader chose comes before what the finding quotes.
    """
    wanted = list(source.quoted)
    if reading is not None:
        wanted = [reading.contribution, *reading.abstract, *wanted, *reading.methods]
    else:
        wanted += [line.id for line in source.lines]
    by_id, length = {line.id: line for line in source.lines}, 0
    kept = list[Line]()
    for id_ in dict.fromkeys(wanted):
        tokens = tokens_in(by_id[id_].text)
        if tokens > MAX_SOURCE_TOKENS:
            continue
        length += tokens
        if length > MAX_SOURCE_TOKENS:
            break
        kept.append(by_id[id_])
    return replace(source, lines=tuple(kept), dropped=len(set(wanted)) - len(kept))


def reader_notes(
    shard: Sequence[SourcePassages], chosen: Mapping[str, Reading], unread: Mapping[str, str]
) -> str:
    """Return per source its contribution, abstract, methods and claims with their quotes.

    All of it is word for word; of a source that was not read, why.
    """
    parts = []
    for source in shard:
        parts.append(f"## {source.title}\n\n<{source.url}>")
        if source.id in unread:
            parts.append(f"Omitted: {unread[source.id]}.")
            continue
        parts += _notes_on(source, chosen[source.id])
    return "\n\n".join(parts) + "\n"


def _notes_on(source: SourcePassages, reading: Reading) -> Iterator[str]:
    texts = {line.id: line.text for line in source.lines}
    abstract, methods = dict.fromkeys(reading.abstract), dict.fromkeys(reading.methods)
    yield f"**Contribution:** {texts[reading.contribution]}"
    if abstract:
        yield f"**Abstract:** {' '.join(texts[id_] for id_ in abstract)}"
    if methods:
        yield "\n".join(["**Methods**", "", *(f"- {texts[id_]} [{id_}]" for id_ in methods)])
    yield "**Claims**"
    for id_ in dict.fromkeys((reading.contribution, *abstract)):
        place = source.places[id_]
        yield f"> {texts[id_]}\n>\n> [{id_}], {place.document} [{place.start}:{place.end}]"
