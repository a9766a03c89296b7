"""Claims in the evidence: sentences on a task, clustered by agreement, and opposites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from daemon.ports import Vectors
from daemon.research.recall import similarity
from daemon.research.sentences import Sentence
from daemon.research.stance import Relation, Stance
from daemon.research.synthesise import plain

# Cosines of all-MiniLM-L6-v2. Sentences above SAYS_SO that no rule separates were found to agree
# when read in pairs; opposites are as similar as agreeing ones.
AGREES_FROM = 0.72
RELATED_FROM = 0.72
_VAGUE = 0.82  # the same, if only one of them names a quantity
# share of significant words: in unsupported languages, the model finds everything similar
_RELATED = 0.25
_NEAR_THE_TASK = 0.25  # below it, a sentence is a claim, but not about the task
_MAX_PAIRS = 20_000  # of similar sentences, the nearest; pages of one template have many more
_MAX_SENTENCES = 30  # sentences of one document that are compared, those nearest to the task


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a document that makes a claim about the task."""

    document: str  # Document.id
    sentence: Sentence


class Claims:
    """The claims of some documents on one task, compared with each other."""

    def __init__(self, claims: Sequence[Claim], vectors: Vectors) -> None:
        """`vectors` are `(len(claims), d)`, of unit length."""
        self.claims = tuple(claims)
        self._near = similarity(vectors, vectors) if claims else np.zeros((0, 0))
        self._stances: dict[int, Stance] = {}
        self._same: dict[tuple[int, int], bool] = {}
        self._place = {
            (claim.document, claim.sentence.start): index for index, claim in enumerate(claims)
        }

    def agreeing(self, document: str, sentence: Sentence) -> list[tuple[Claim, float]]:
        """Return the members of a claim's cluster, with their cosine, nearest first.

        A passage of several sentences is no claim: nothing agrees with it, opposes it or differs.
        """
        index = self._index(document, sentence)
        if index is None:
            return []
        its = next((cluster for cluster in self.clusters if index in cluster), (index,))
        return self._ranked(index, [other for other in its if other != index])

    def opposed(self, document: str, sentence: Sentence) -> list[tuple[Claim, float]]:
        """Return the opposites of a claim, with their cosine, nearest first."""
        return self._related(document, sentence, Relation.OPPOSED)

    def differing(self, document: str, sentence: Sentence) -> list[tuple[Claim, float]]:
        """Return the claims with another figure for the same thing, nearest first."""
        return self._related(document, sentence, Relation.DIFFERENT)

    def _related(
        self, document: str, sentence: Sentence, relation: Relation
    ) -> list[tuple[Claim, float]]:
        index = self._index(document, sentence)
        if index is None:
            return []
        near = [int(other) for other in np.flatnonzero(self._near[index] >= RELATED_FROM)]
        related = [
            other
            for other in near
            if self.claims[other].document != document and self._relation(index, other) is relation
        ]
        return self._ranked(index, related)

    def _index(self, document: str, sentence: Sentence) -> int | None:
        index = self._place.get((document, sentence.start))
        is_it = index is not None and self.claims[index].sentence.end == sentence.end
        return index if is_it else None

    @cached_property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """Return clusters of two or more claims that agree, as indices.

        All pairs of a cluster are similar, and no rule separates them (complete linkage); nearest
        pairs are joined first.
        """
        rows, columns = np.nonzero(np.triu(self._near >= AGREES_FROM, 1))
        order = np.lexsort((columns, rows, -self._near[rows, columns]))[:_MAX_PAIRS]
        pairs = list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))
        of: dict[int, list[int]] = {index: [index] for index in range(len(self.claims))}
        for one, other in pairs:
            mine, its = of[one], of[other]
            if mine is not its and all(self._is_same(a, b) for a in mine for b in its):
                mine += its
                of.update(dict.fromkeys(its, mine))
        found = {id(cluster): tuple(sorted(cluster)) for cluster in of.values() if cluster[1:]}
        return tuple(sorted(found.values()))

    def _is_same(self, one: int, other: int) -> bool:
        pair = (one, other) if one < other else (other, one)
        if pair not in self._same:
            mine, its = self._stance(one), self._stance(other)
            is_vague = mine.has_quantities != its.has_quantities
            self._same[pair] = (
                bool(self._near[pair] >= (_VAGUE if is_vague else AGREES_FROM))
                and mine.likeness(its) >= _RELATED
                and mine.relation(its) is Relation.MAY_AGREE
            )
        return self._same[pair]

    def _relation(self, one: int, other: int) -> Relation:
        return self._stance(one).relation(self._stance(other))

    def _stance(self, index: int) -> Stance:
        if index not in self._stances:
            self._stances[index] = Stance(plain(self.claims[index].sentence.text))
        return self._stances[index]

    def _ranked(self, index: int, others: Sequence[int]) -> list[tuple[Claim, float]]:
        ordered = sorted(others, key=lambda other: (-self._near[index, other], other))
        return [(self.claims[other], float(self._near[index, other])) for other in ordered]


def claims_on(
    asked: Vectors,
    sentences: Mapping[str, Sequence[Sentence]],
    vectors: Mapping[str, Vectors],
    quotes: Mapping[str, Sequence[Sentence]],
) -> Claims:
    """Take from each document the sentences nearest to the task, and all quoted ones.

    `asked` is `(m, d)`; the others are by document id, `vectors` as `(n, d)` with the sentences.
    """
    claims: list[Claim] = []
    taken: list[Vectors] = []
    for document, its in sentences.items():
        if not its:
            continue
        near = similarity(vectors[document], asked).max(axis=1)
        order = sorted(range(len(its)), key=lambda index: (-near[index], index))
        chosen = {index for index in order[:_MAX_SENTENCES] if near[index] >= _NEAR_THE_TASK}
        starts = {quote.start for quote in quotes.get(document, ())}
        chosen |= {index for index, one in enumerate(its) if one.start in starts}
        places = sorted(chosen)
        claims += [Claim(document, its[index]) for index in places]
        taken.append(vectors[document][places])
    return Claims(claims, np.concatenate(taken) if taken else np.zeros((0, 1), np.float32))
