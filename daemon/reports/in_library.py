"""What documents of the library say on a part of the vault, or on a topic. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from urllib.parse import unquote

from daemon.asking.statements import Passage, Statement, is_stated, parts_of
from daemon.model.evidence import Passage as EvidencePassage
from daemon.model.finding import FindingSource, Quote
from daemon.reports.said import states_nothing
from daemon.reports.subtopics import Rarity
from daemon.reports.telling import fits, share_in, subject_terms
from daemon.reports.topic import Topic
from daemon.reports.verdicts import checks_claims
from daemon.research.bm25 import terms

_OF_SOURCE = 2  # statements of a document
_BEGIN = 2_000  # characters of a document, that show whether it checks claims
_NAMES = 3  # of notes, by which documents are searched
_LEAST_SHARED = 3  # words of two statements on the same subject: a name alone has homonyms

Documents = Callable[[str], Sequence[tuple[FindingSource, Passage]]]
"""Returns the documents of the library on a subject, with their text."""


def no_documents(_subject: str) -> Sequence[tuple[FindingSource, Passage]]:
    """Return no documents: there is no library."""
    return ()


def in_library(
    names: Iterable[str],
    notes: Mapping[str, Sequence[Passage]],
    documents: Documents,
    rarity: Rarity,
    topic: Topic | None,
) -> Iterator[tuple[FindingSource, list[Quote]]]:
    """Yield documents that are about the topic, or without one about a name of several words, with
    what they say on it; each document once.
    """
    seen: set[str] = set()
    weights = subject_terms(notes, rarity)
    names = [*names, *(its[0].name for its in islice(notes.values(), _NAMES if not topic else 0))]
    for name in dict.fromkeys(names):
        subject = set(terms(name))
        for source, passage in documents(name):
            hit = source.document.hit
            begin = source.document.text[:_BEGIN]
            if source.document.id in seen or checks_claims(unquote(hit.url), hit.title, begin):
                continue
            if topic is not None and not topic.is_part_of(hit.title):
                continue
            is_about = topic is not None or subject <= set(terms(hit.title))
            found = [
                (share_in(each.text, weights), quote)
                for each in parts_of(passage)
                if (topic.is_in(each.text) if topic else subject <= set(terms(each.text)))
                and fits(each.text)
                and (is_about or _is_on(each.text, subject, weights))
                and (quote := _quote(each, source)) is not None
                and is_stated(each)
            ]
            if found:
                seen.add(source.document.id)
                best = sorted(found, key=lambda one: -one[0])[:_OF_SOURCE]
                yield source, [quote for _, quote in best]


def _is_on(text: str, subject: set[str], weights: Mapping[str, float]) -> bool:
    """Return whether a sentence that has all words of a name is on it: a single word has homonyms,
    and three words are what the notes have in common with that name.
    """
    shared = len((set(terms(text)) - subject) & weights.keys())
    return len(subject) > 1 and len(subject) + shared >= _LEAST_SHARED


def _quote(statement: Statement, source: FindingSource) -> Quote | None:
    """Return a sentence as a quote, if the document has it and it states something."""
    start = source.document.text.find(statement.source)
    end = start + len(statement.source)
    where = EvidencePassage(source.document.id, start, end, statement.source)
    quote = Quote(source.document, where)
    return quote if start >= 0 and not states_nothing(quote) else None
