"""Which documents are one: among the answers, among what was fetched, and against the vault."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from daemon.model.evidence import Document, Hit, Near, SourceType
from daemon.research.identity import canonical_url, keys_of
from daemon.research.records import Record, is_one_work, titles_are_near

_SAME_TEXT = 0.8  # share of five-word runs that two texts have in common
_RELATED_TEXT = 0.3  # the same, when the titles agree too
_RANK_SMOOTHING = 60


@dataclass(frozen=True, slots=True)
class Offer:
    """One document that sources offered for a task, before it is fetched.

    `ref` is how it is known until then, `also_from` the other sources that had it; `reached` says
    which citation led to it, when no source returned it.
    """

    hit: Hit
    ref: str
    keys: tuple[str, ...]
    also_from: tuple[str, ...] = ()
    reached: str = ""


def offers(answers: Sequence[Sequence[Hit]]) -> list[Offer]:
    """Join what several sources answered to one question, the best first.

    Those ranked high, and by several sources, come first (reciprocal rank fusion); what one source
    does not know of a document is taken from another.
    """
    pool = _Pool()
    for hits in answers:
        for rank, hit in enumerate(hits):
            pool.add(rank, hit)
    scored = [
        (sum(1 / (_RANK_SMOOTHING + rank) for rank, _ in group), group) for group in pool.groups
    ]
    scored.sort(key=lambda entry: (-entry[0], entry[1][0][0]))
    return [_offer([hit for _, hit in group]) for _, group in scored]


class _Pool:
    """Ranked hits in groups, each of one document: by identity, or by title, people and year."""

    def __init__(self) -> None:
        self.groups: list[list[tuple[int, Hit]]] = []
        self._by_key: dict[str, list[tuple[int, Hit]]] = {}
        self._by_author: dict[str, list[tuple[Record, str]]] = {}

    def add(self, rank: int, hit: Hit) -> None:
        keys, record = keys_of(hit), Record(hit)
        alike = self._by_author.setdefault(record.author, []) if record.author else []
        seen = [*keys, *(key for other, key in alike if is_one_work(record, other))]
        group = self._joined([self._by_key[key] for key in seen if key in self._by_key])
        group.append((rank, hit))
        self._by_key.update(dict.fromkeys(keys, group))
        if keys:
            alike.append((record, keys[0]))

    def _joined(self, found: Sequence[list[tuple[int, Hit]]]) -> list[tuple[int, Hit]]:
        """Return the one group that all of `found` become; a new one when there is none."""
        if not found:
            self.groups.append([])
            return self.groups[-1]
        first = found[0]
        for other in found[1:]:
            if other is not first:
                first += other
                self.groups = [group for group in self.groups if group is not other]
                self._by_key = {
                    key: first if group is other else group for key, group in self._by_key.items()
                }
        return first


def merge(documents: Sequence[Document]) -> dict[str, Document]:
    """Find documents that are one; return document id → the document that stands for it.

    The first of each group stands for it, knows what the others knew, and has the strongest key.
    """
    groups: list[list[_Known]] = []
    for document in documents:
        known = _Known(document)
        its = [group for group in groups if any(known.is_same(other) for other in group)]
        groups = [group for group in groups if not any(group is each for each in its)]
        groups.append([*(other for group in its for other in group), known])
    order = {document.id: number for number, document in reversed(list(enumerate(documents)))}
    merged = {}
    for group in groups:
        members = sorted((known.document for known in group), key=lambda each: order[each.id])
        joined = _joined(members)
        merged.update({document.id: joined for document in members})
    return {document.id: merged[document.id] for document in documents}


def is_same(one: Document, other: Document) -> bool:
    """Whether two fetched documents are one: by identity, by bytes, by title, or by text."""
    return _Known(one).is_same(_Known(other))


class _Known:
    """A document, with what is compared of it made once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.keys = frozenset(all_keys(document))
        self.record = Record(document.hit, document.text)

    def is_same(self, other: "_Known") -> bool:
        if self.keys & other.keys:
            return True
        mine, its = self.record, other.record
        if mine.contradicts(its):
            return False
        if titles_are_near(mine.title, its.title):
            people = mine.is_of_same_people(its)
            if people is True:
                return not mine.is_worded_otherwise(its)
            if people is None:
                return mine.text.share(its.text) >= _RELATED_TEXT
        is_comparable = mine.text.is_telling and mine.text.is_as_long_as(its.text)
        return is_comparable and mine.text.share(its.text) >= _SAME_TEXT


def all_keys(document: Document) -> tuple[str, ...]:
    """All identities of a document that was fetched, its key first."""
    named = [key for key in keys_of(document.hit) if not key.startswith("file:")]
    found = [document.key, f"sha256:{document.sha256}", *named]
    if document.final_url.startswith(("http://", "https://")):
        found.append(f"url:{canonical_url(document.final_url)}")
    return tuple(dict.fromkeys(found))


def covering(near: Iterable[Sequence[Near]], threshold: float) -> Near | None:
    """Say which place in the vault covers a document, from what is near to each of its passages.

    Covered means that most of the passages that answer the task stand in the vault already.
    """
    best = [max(found, key=lambda place: place.similarity, default=None) for found in near]
    covered = [place for place in best if place is not None and place.similarity > threshold]
    if not covered or 2 * len(covered) <= len(best):
        return None
    return max(covered, key=lambda place: (round(place.similarity, 4), place.path))


def _offer(hits: Sequence[Hit]) -> Offer:
    hit = _best_of(hits)
    keys = tuple(dict.fromkeys(key for one in hits for key in keys_of(one)))
    others = dict.fromkeys(one.source for one in hits if one.source != hit.source)
    return Offer(hit, strongest(keys) or hit.url, keys, tuple(others))


def _joined(group: Sequence[Document]) -> Document:
    """Let the first document stand for all; one with a full text is preferred to an abstract."""
    ranked = sorted(group, key=lambda document: document.extracted_by == "abstract")
    first = ranked[0]
    keys = [key for document in ranked for key in all_keys(document)]
    sources = dict.fromkeys(
        name for document in ranked for name in (document.hit.source, *document.also_from)
    )
    return replace(
        first,
        key=min((first.key, *keys), key=_strength),
        hit=_best_of([document.hit for document in ranked]),
        also_from=tuple(name for name in sources if name != first.hit.source),
    )


def _best_of(hits: Sequence[Hit]) -> Hit:
    """Fill what the first hit does not say from the others.

    What an index says comes before what the user's file says of itself; the file is read.
    """
    first = next((hit for hit in hits if hit.source_type is not SourceType.LIBRARY), hits[0])
    own = next((hit.file for hit in hits if hit.file), "")
    return replace(
        first,
        snippet=max((hit.snippet for hit in hits), key=len) if not first.snippet else first.snippet,
        authors=next((hit.authors for hit in hits if hit.authors), ()),
        published=next((hit.published for hit in hits if hit.published), ""),
        doi=next((hit.doi for hit in hits if hit.doi), ""),
        arxiv_id=next((hit.arxiv_id for hit in hits if hit.arxiv_id), ""),
        citations=max((hit.citations for hit in hits if hit.citations is not None), default=None),
        retracted=any(hit.retracted for hit in hits),
        content_url=own if own and not first.file else first.content_url,
        venue=next((hit.venue for hit in hits if hit.venue), ""),
        publisher=next((hit.publisher for hit in hits if hit.publisher), ""),
    )


def _strength(key: str) -> tuple[int, str]:
    kinds = ("doi", "arxiv", "url", "sha256")
    kind = key.partition(":")[0]
    return (kinds.index(kind) if kind in kinds else len(kinds), key)


def strongest(keys: Iterable[str]) -> str | None:
    """Return the key that identifies best: DOI, arXiv id, address, content."""
    return min(keys, key=_strength, default=None)
