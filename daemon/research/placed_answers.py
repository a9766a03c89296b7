"""Answer a question that stands in a note, by whole passages of documents.

Such a question is short, in its owner's words, and its note says what it is about. So passages are
read with the names of the note and of the page. What answers it is often a row of a table, an
option or code, so a quote is what a reader sees as one: a paragraph, an option with all that is
said of it.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from daemon.model.evidence import Document
from daemon.ports import Vectors
from daemon.research.asked_for import contains_answer_kind, names_code
from daemon.research.entries import Entry, entries
from daemon.research.instructions import is_suspect
from daemon.research.lone_sentences import DEPENDS_ON_CONTEXT
from daemon.research.question import Question
from daemon.research.quotable import end_of_matter, is_biased
from daemon.research.recall import Recall, similarity
from daemon.research.relevance import Relevances, Text
from daemon.research.sentences import WRAPPED, Sentence, sentences, units
from daemon.research.steering_vectors import has_weights_for, steer_by_meaning
from daemon.research.synthesise import REPEATS, Reading, plain

_READ = 24  # passages of a task that the cross-encoder reads
_SHOWN = 2  # passages of a finding
_BELOW = 3.0  # how much less than the best one another passage may be worth
_FIRST = 15.0  # logits that words and meaning weigh
_PER_PLACE = 1.0  # logits that a document is worth less than the one before it in the search
_LAST = 5  # place of a document from which a later one is worth no less
_LONGEST = 700  # characters of a passage
_AROUND = 300  # characters around a passage in which nothing may address machines
# Of a logistic regression, see docs/quality.md; `python -m bench.placed` fits it.
_BIAS, _PLACED, _LEAD, _IS_FIRST, _ABOVE = -2.752, 0.152, 0.064, 1.211, 0.101
SURE = 0.3  # from which passages are shown: half of such findings then have the answer
_OVERLAP = 1 / 4  # of a paragraph that a passage must have for all of it to be quoted
_MISSING = 500  # characters of a paragraph before or after a quote that are added if needed
_HEADING = 80  # characters of a line without a full stop that belongs to what is below it


@dataclass(frozen=True, slots=True)
class Placed:
    """A passage of a document, and what it is worth as an answer: higher is better.

    `place` is that of its document in the order of the sources, from 0; `first` is by words and
    meaning; `own` and `placed` are logits, without and with the names of note and page.
    """

    document: Document
    start: int
    end: int
    first: float
    own: float = 0.0
    placed: float = 0.0
    place: int = 0

    @property
    def text(self) -> str:
        return self.document.text[self.start : self.end]

    @property
    def worth(self) -> float:
        behind = _PER_PLACE * min(self.place, _LAST)
        return (self.own + self.placed) / 2 + _FIRST * self.first - behind


def read_passages(
    asked: Question,
    documents: Sequence[Document],
    texts: Mapping[str, Text],
    relevances: Relevances,
    recall: Recall,
) -> list[Reading] | None:
    """Read the documents of a question for the passages that answer it; None without a
    cross-encoder.
    """
    found = _scored(asked, documents, texts, relevances, recall)
    if found is None:
        return None
    certainty = certainty_of(signals(found)) if found else 0.0
    chosen = list(_shown(asked, found, recall)) if certainty >= SURE else []
    by_document: dict[str, list[Placed]] = {}
    for one in sorted(chosen, key=lambda each: each.start):
        by_document.setdefault(one.document.id, []).append(one)
    return [_reading(asked, each, by_document.get(each.id, ()), certainty) for each in documents]


def _scored(
    asked: Question,
    documents: Sequence[Document],
    texts: Mapping[str, Text],
    relevances: Relevances,
    recall: Recall,
) -> list[Placed] | None:
    """Return the best passages by words and meaning as the cross-encoder read them, best first."""
    query, in_place = asked.query, asked.task.in_place
    first = relevances.first(in_place, asked.asked, [each.id for each in documents])
    pool = sorted(
        (
            Placed(each, start, end, float(value), place=place)
            for place, each in enumerate(documents)
            if each.id in first and not relevances.is_about_others(query, each.id)
            for (start, end), value in zip(spans(each, texts[each.id]), first[each.id], strict=True)
        ),
        key=lambda one: (-one.first, one.document.id, one.start),
    )[:_READ]
    bare = recall.scores.of(query, [plain(one.text) for one in pool])
    titled = [f"{plain(one.document.hit.title)}. {plain(one.text)}" for one in pool]
    placed = recall.scores.of(in_place, titled)
    if bare is None or placed is None:
        return None
    scored = [
        replace(one, own=float(own), placed=float(with_names))
        for one, own, with_names in zip(pool, bare, placed, strict=True)
    ]
    return sorted(scored, key=lambda one: -one.worth)


def _shown(asked: Question, found: Sequence[Placed], recall: Recall) -> Iterator[Placed]:
    """Yield the best passages, none of which repeats another."""
    shown: list[Placed] = []
    for one in found:
        if len(shown) == _SHOWN or one.worth < found[0].worth - _BELOW:
            return
        one = whole(one)  # noqa: PLW2901 - what is checked is what is shown
        named = [one.document.hit.title, one.text]
        is_kind = contains_answer_kind(asked.query, [one.text]) and names_code(asked.query, named)
        if is_kind and is_harmless(one, asked.terms, recall) and not _repeats(one, shown, recall):
            shown.append(one)
            yield one


def _repeats(one: Placed, shown: Sequence[Placed], recall: Recall) -> bool:
    """Return whether a passage overlaps one that is shown, or says the same."""
    own = (each for each in shown if each.document.id == one.document.id)
    if any(one.start < each.end and each.start < one.end for each in own):
        return True
    vectors = recall.vectors([plain(each.text) for each in (one, *shown)])
    return bool((similarity(vectors[:1], vectors[1:]) > REPEATS).any())


def _reading(
    asked: Question, document: Document, chosen: Sequence[Placed], certainty: float
) -> Reading:
    quotes = tuple(
        Sentence(one.start, one.end, one.text, number) for number, one in enumerate(chosen)
    )
    worth = tuple(round(one.worth, 3) for one in chosen)
    return Reading(asked.task, document, round(certainty, 4), quotes, worth)


@dataclass(frozen=True, slots=True)
class Signals:
    """What tells whether the best passage answers: logits, except `is_first`.

    `placed` is what it scores with the names of note and page, `lead` how much more it is worth
    than the best passage of another document, `above` how much better it answers the bare question
    than the usual passage does. `is_first` says that the sources put its document first.
    """

    placed: float
    lead: float
    is_first: bool
    above: float


def signals(found: Sequence[Placed]) -> Signals:
    """Return the signals of passages, which are of one question and the best one first."""
    best = found[0]
    others = [one.worth for one in found if one.document.id != best.document.id]
    return Signals(
        placed=best.placed,
        lead=best.worth - (others[0] if others else found[-1].worth),
        is_first=best.place == 0,
        above=best.own - median(one.own for one in found),
    )


def certainty_of(own: Signals) -> float:
    """Return the share of such questions whose shown passages contain the answer."""
    weighed = (
        _BIAS
        + _PLACED * own.placed
        + _LEAD * own.lead
        + _IS_FIRST * own.is_first
        + _ABOVE * own.above
    )
    return 1 / (1 + math.exp(-weighed))


def spans(document: Document, text: Text) -> list[tuple[int, int]]:
    """Return where each window of a text begins and ends, with all that stands before the next.

    A heading belongs to the window below it.
    """
    whole = document.text
    starts = [_with_heading(whole, each.start) for each in text.windows]
    ends = [*starts[1:], end_of_matter(whole)] if starts else []
    return [
        (start, _end(whole, start, max(end, window.end)))
        for start, end, window in zip(starts, ends, text.windows, strict=True)
    ]


def whole(one: Placed) -> Placed:
    """Return a passage that begins and ends with what a reader sees as one, as far as most of it is
    in the passage; with the sentence that it refers to, and with what it leads to.
    """
    parts = entries(one.document)
    among = [at for at, each in enumerate(parts) if _overlap(one, each) >= _OVERLAP]
    among = among or [max(range(len(parts)), key=lambda at: _overlap(one, parts[at]))]
    start, end = parts[among[0]].start, parts[among[-1]].end
    text = one.document.text
    if among[0] and DEPENDS_ON_CONTEXT.search(text[start:end].lstrip()):
        start = _last_sentence(one.document, parts[among[0] - 1], start)
    after = parts[among[-1] + 1] if among[-1] + 1 < len(parts) else None
    if after and text[:end].endswith(":") and after.end - after.start <= _MISSING:
        end = after.end
    return replace(one, start=start, end=end)


def _overlap(one: Placed, part: Entry) -> float:
    """Return the share of a part of the document that is in a passage."""
    return (min(one.end, part.end) - max(one.start, part.start)) / (part.end - part.start)


def _last_sentence(document: Document, part: Entry, otherwise: int) -> int:
    """Return where the last sentence of a part of the document begins, if it is not long."""
    text = document.text[part.start : part.end]
    found = sentences(text, wrapped=document.extracted_by in WRAPPED)
    is_short = bool(found) and len(text) - found[-1].start <= _MISSING
    return part.start + found[-1].start if is_short else otherwise


def _with_heading(text: str, start: int) -> int:
    """Return where the heading above a place begins, or the place itself."""
    above = text[:start].rstrip()
    line = above[above.rfind("\n") + 1 :]
    is_heading = 0 < len(line.strip()) <= _HEADING and line.strip()[-1] not in ".!?,;:)"
    return start - len(text[len(above) - len(line) : start]) if is_heading else start


def _end(text: str, start: int, end: int) -> int:
    """Return where a passage ends: at the end of a line if it is too long."""
    whole = text[start:end].rstrip()
    if len(whole) <= _LONGEST:
        return start + len(whole)
    cut = max(whole.rfind("\n", 0, _LONGEST), whole.rfind(". ", 0, _LONGEST) + 1)
    return start + len(whole[: cut if cut > 0 else _LONGEST].rstrip())


def is_harmless(one: Placed, terms: Collection[str], recall: Recall) -> bool:
    """Return whether nothing in a passage steers, and nothing near it addresses machines."""
    wrapped = one.document.extracted_by in WRAPPED
    text = one.document.text
    near = text[max(one.start - _AROUND, 0) : one.end + _AROUND]
    if any(is_suspect(near[start:end]) for start, end in units(near, wrapped=wrapped)):
        return False
    parts = [plain(one.text[start:end]) for start, end in units(one.text, wrapped=wrapped)]
    if any(is_biased(each, terms) for each in parts):
        return False
    vectors: Vectors = recall.vectors(parts)
    if not parts or not has_weights_for(recall.model(), vectors.shape[1]):
        return True
    return not np.any(steer_by_meaning(parts, vectors, terms))
