"""The forms of answers, and what is kept of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from daemon.model.evidence import Passage
from daemon.model.finding import Finding
from daemon.models.barrier import Barrier, clean
from daemon.models.checks import Claim, Scorer, why_removed
from daemon.models.source_passages import SourcePassages

_MAX_LENGTH = 400  # characters of one sentence
_MAX_CONCEPT_LENGTH = 40
_MAX_CITED = 3


class TextSentence(BaseModel):
    """One sentence, and the ids of those that it restates."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=_MAX_LENGTH)
    cites: list[str] = Field(min_length=1, max_length=_MAX_CITED)


class Text(BaseModel):
    """What the writer wrote."""

    model_config = ConfigDict(extra="forbid")

    sentences: list[TextSentence] = Field(min_length=1, max_length=4)
    concepts: list[str] = Field(max_length=5)


@dataclass(frozen=True, slots=True)
class KeptSentence:
    """A sentence that passed every check."""

    text: str
    cites: tuple[Passage, ...]


@dataclass(slots=True)
class Kept:
    """What is kept of a text; `why` says why all of it was dropped."""

    sentences: list[KeptSentence] = field(default_factory=list)
    concepts: list[str] = field(default_factory=list)
    removed: list[dict[str, str]] = field(default_factory=list)
    why: str = ""


def kept_sentences(
    text: Text,
    given: Sequence[SourcePassages],
    finding: Finding,
    barrier: Barrier,
    scorer: Scorer,
) -> Kept:
    """Return the sentences that their citations bear out; none where too few of them are.

    One sentence that the barrier refuses drops the whole answer.
    """
    kept = Kept(why=barrier.why_not([one.text for one in text.sentences], _MAX_LENGTH))
    kept.why = kept.why or barrier.why_not(text.concepts, 2 * _MAX_CONCEPT_LENGTH)
    if kept.why:
        kept.removed = [{"text": one.text, "why": kept.why} for one in text.sentences]
        return kept
    places = {line.id: each.places[line.id] for each in given for line in each.lines}
    titles = " ".join([finding.task.query, *(each.title for each in given)])
    for one in text.sentences:
        cites = [places[id_] for id_ in dict.fromkeys(one.cites) if id_ in places]
        claim = Claim(clean(one.text), tuple(each.text for each in cites))
        is_invented = len(cites) < len(set(one.cites))
        why = "it cites what is not there" if is_invented else why_removed(claim, titles, scorer)
        if why:
            kept.removed.append({"text": one.text, "why": why})
        else:
            kept.sentences.append(KeptSentence(claim.text, tuple(cites)))
    if len(kept.sentences) * 2 < len(text.sentences):
        kept.why, kept.sentences = "too little of it is borne out by what it cites", []
    source_text = " ".join(each.text for each in places.values()).casefold()
    kept.concepts = [
        concept
        for concept in map(clean, text.concepts)
        if concept.casefold() in source_text and 3 <= len(concept) <= _MAX_CONCEPT_LENGTH
    ]
    return kept
