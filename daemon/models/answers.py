"""The forms of answers, and what is kept of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import GenericAlias
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from daemon.model.evidence import Passage
from daemon.models.barrier import Barrier, clean
from daemon.models.checks import (
    MIN_SUPPORT,
    SPEAKS,
    Claim,
    Given,
    Scorer,
    related_to,
    shared,
    why_removed,
)
from daemon.models.forms import list_of
from daemon.models.personas import points_back
from daemon.models.source_passages import SourcePassages

_MAX_LENGTH = 400  # characters of one sentence
_MAX_CONCEPT_LENGTH = 40
_MAX_CITED = 2
_NEAR = 300  # characters around what speaks to somebody, of which nothing is kept
MAX_SENTENCES = 3
MAX_OF_REPORT = 8  # sentences on a whole report
_MAX_CONNECTED = 5  # notes
_TITLE_WORDS = range(2, 11)


class TextSentence(BaseModel):
    """One sentence, and the ids of those that it restates."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=_MAX_LENGTH)
    cites: list[str] = Field(min_length=1, max_length=_MAX_CITED)


class Text(BaseModel):
    """What the writer wrote; `connects` are ids of notes that it bears on."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(default="", max_length=_MAX_LENGTH)
    sentences: list[TextSentence] = Field(min_length=1, max_length=MAX_OF_REPORT)
    concepts: list[str] = Field(max_length=5)
    connects: list[str] = Field(default=[], max_length=_MAX_CONNECTED)


def text_form(
    ids: Sequence[str], notes: Sequence[str] = (), *, most: int = MAX_SENTENCES
) -> type[Text]:
    """Return the form of a text that can name nothing but sentences (`ids`) and `notes`.

    It has at most so many sentences.
    """
    sentence: Any = create_model(
        "TextSentence",
        __base__=TextSentence,
        cites=(list_of(ids), Field(min_length=1, max_length=_MAX_CITED)),
    )
    sentences: Any = GenericAlias(list, (sentence,))
    some: Any = Field(min_length=1, max_length=most)
    few: Any = Field(default=[], max_length=_MAX_CONNECTED if notes else 0)
    connects: Any = list_of(notes) if notes else list[str]
    made: type[Text] = create_model(
        "Text", __base__=Text, sentences=(sentences, some), connects=(connects, few)
    )
    return made


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence that passed every check."""

    text: str
    cites: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A sentence, what it cites, and why it is removed, or ""."""

    text: str
    cites: Sequence[Passage]
    why: str


@dataclass(slots=True)
class CheckedText:
    """What is kept of a text; `why` says why all of it was dropped."""

    sentences: list[CheckedSentence] = field(default_factory=list)
    concepts: list[str] = field(default_factory=list)
    title: str = ""
    connects: tuple[str, ...] = ()
    removed: list[dict[str, str]] = field(default_factory=list)
    why: str = ""


def check_sentences(
    text: Text,
    given: Sequence[SourcePassages],
    question: str,
    barrier: Barrier,
    scorer: Scorer,
) -> CheckedText:
    """Return the sentences that their citations support; none if that is less than half of them.

    One sentence that the barrier refuses drops the whole answer.
    """
    kept = CheckedText(why=barrier.why_not([one.text for one in text.sentences], _MAX_LENGTH))
    kept.why = kept.why or barrier.why_not([text.title, *text.concepts], _MAX_LENGTH)
    if kept.why:
        kept.removed = [{"text": one.text, "why": kept.why} for one in text.sentences]
        return kept
    places = {line.id: each.places[line.id] for each in given for line in each.lines}
    given_text = Given(question, tuple(each.title for each in given))
    related = related_to(given_text, [each.text for each in places.values()])
    judged = list[_Judged]()
    for one in text.sentences:
        cites = [places[id_] for id_ in dict.fromkeys(one.cites)]
        cited = tuple(each.text for each in cites)
        claim = Claim(clean(one.text), cited, tuple(each for each in related if each not in cited))
        judged.append(_Judged(claim.text, cites, why_removed(claim, given_text, scorer)))
    for place, each in enumerate(judged):
        if why := each.why or _why_not_here(judged, place):
            kept.removed.append({"text": text.sentences[place].text, "why": why})
        else:
            own = (cite for cite in each.cites if shared(each.text, cite.text) >= MIN_SUPPORT)
            kept.sentences.append(CheckedSentence(each.text, tuple(own)))
    kept.concepts, kept.title = text.concepts, text.title
    kept.connects = tuple(dict.fromkeys(text.connects))
    return _enough(kept, question)


def _why_not_here(judged: Sequence[_Judged], place: int) -> str:
    """Return why a sentence cannot stay among the others of its text, or ""."""
    own, before = judged[place], judged[place - 1] if place else None
    if points_back(own.text) and (before is None or before.why):
        return "it refers to a sentence that is not there"
    talk = [cite for each in judged if each.why in SPEAKS for cite in each.cites]
    is_near = any(
        one.document == cite.document
        and one.start < cite.end + _NEAR
        and one.end > cite.start - _NEAR
        for one in own.cites
        for cite in talk
    )
    return "it is next to what speaks to somebody" if is_near else ""


def without(kept: CheckedText, unsupported: Mapping[int, str], question: str) -> CheckedText:
    """Return a text without the sentences, given by position with why, that no checker supports."""
    removed = [{"text": kept.sentences[at].text, "why": unsupported[at]} for at in unsupported]
    left = [each for place, each in enumerate(kept.sentences) if place not in unsupported]
    left_over = replace(kept, sentences=left, removed=[*kept.removed, *removed])
    return _enough(left_over, question)


def _enough(kept: CheckedText, question: str) -> CheckedText:
    """Drop a text if less than half of it is left.

    Concepts and the title must occur in what the kept sentences cite: one from elsewhere in a page
    would bring back what was removed.
    """
    if len(kept.sentences) >= max(len(kept.removed), 1):
        cited = " ".join(cite.text for each in kept.sentences for cite in each.cites)
        concepts = _verbatim(kept.concepts, cited)
        return replace(kept, concepts=concepts, title=_title(kept.title, f"{question} {cited}"))
    return CheckedText(
        removed=kept.removed, why="less than half of its sentences passed the checks"
    )


def _verbatim(concepts: Sequence[str], text: str) -> list[str]:
    """Return the concepts that occur in a text word for word."""
    folded = text.casefold()
    return [
        concept
        for concept in map(clean, concepts)
        if concept.casefold() in folded and 3 <= len(concept) <= _MAX_CONCEPT_LENGTH
    ]


def _title(title: str, text: str) -> str:
    """Return a title whose words stand together in a text, else "": a title cites nothing."""
    sentence = clean(title).rstrip(".!?")
    stands = f" {words_only(sentence)} " in f" {words_only(text)} "
    return sentence if stands and len(sentence.split()) in _TITLE_WORDS else ""


def words_only(text: str) -> str:
    """Return the words of a text in lower case, with one space between two."""
    return " ".join(re.findall(r"\w+", text.casefold()))
