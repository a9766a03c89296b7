"""Which documents are one: among the answers, among what was fetched, and against the vault."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from daemon.model.evidence import Document, Hit, Near
from daemon.research.identity import canonical_url, keys_of

TITLE_DISTANCE = 0.2
_SAME_TEXT = 0.8  # share of five-word runs that two texts have in common
_RELATED_TEXT = 0.3  # the same, when the titles agree too
_SHORTEST_TITLE = 15  # characters; "Introduction" says nothing
_RUN = 5
_MOST_RUNS = 4000
_RANK_SMOOTHING = 60
_NUMBERS = re.compile(r"\d+")
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Offer:
    """One document that sources offered for a task, before it is fetched.

    `ref` is how it is known until then, `also_from` the other sources that had it.
    """

    hit: Hit
    ref: str
    keys: tuple[str, ...]
    also_from: tuple[str, ...] = ()


def offers(answers: Sequence[Sequence[Hit]]) -> list[Offer]:
    """Join what several sources answered to one question, the best first.

    Those ranked high, and by several sources, come first (reciprocal rank fusion); what one source
    does not know of a document is taken from another.
    """
    groups: list[list[tuple[int, Hit]]] = []
    by_key: dict[str, list[tuple[int, Hit]]] = {}
    for hits in answers:
        for rank, hit in enumerate(hits):
            keys = keys_of(hit)
            group = next((by_key[key] for key in keys if key in by_key), None)
            if group is None:
                group = []
                groups.append(group)
            group.append((rank, hit))
            by_key.update(dict.fromkeys(keys, group))
    scored = [(sum(1 / (_RANK_SMOOTHING + rank) for rank, _ in group), group) for group in groups]
    scored.sort(key=lambda entry: (-entry[0], entry[1][0][0]))
    return [_offer([hit for _, hit in group]) for _, group in scored]


def merge(documents: Sequence[Document]) -> dict[str, Document]:
    """Find documents that are one; return document id → the document that stands for it.

    The first of each group stands for it, knows what the others knew, and has the strongest key.
    """
    groups: list[list[Document]] = []
    for document in documents:
        group = next((group for group in groups if _is_in(document, group)), None)
        if group is None:
            groups.append([document])
        else:
            group.append(document)
    merged = {}
    for group in groups:
        joined = _joined(group)
        merged.update({document.id: joined for document in group})
    return merged


def is_same(one: Document, other: Document) -> bool:
    """Whether two fetched documents are one: by identity, by bytes, by title, or by text."""
    if set(all_keys(one)) & set(all_keys(other)):
        return True
    if _contradict(one.hit, other.hit):
        return False
    if titles_agree(one.hit, other.hit):
        if _people_agree(one.hit, other.hit):
            return True
        return _overlap(one.text, other.text) >= _RELATED_TEXT
    return _overlap(one.text, other.text) >= _SAME_TEXT


def all_keys(document: Document) -> tuple[str, ...]:
    """All identities of a document that was fetched, its key first."""
    named = [key for key in keys_of(document.hit) if not key.startswith("file:")]
    found = [document.key, f"sha256:{document.sha256}", *named]
    if document.final_url.startswith(("http://", "https://")):
        found.append(f"url:{canonical_url(document.final_url)}")
    return tuple(dict.fromkeys(found))


def titles_agree(one: Hit, other: Hit) -> bool:
    """Whether two titles are nearly equal, numbers and all."""
    left, right = _title(one.title), _title(other.title)
    if min(len(left), len(right)) < _SHORTEST_TITLE:
        return False
    if _NUMBERS.findall(left) != _NUMBERS.findall(right):
        return False
    return Levenshtein.normalized_distance(left, right, score_cutoff=1.0) < TITLE_DISTANCE


def covering(near: Iterable[Sequence[Near]], threshold: float) -> Near | None:
    """Say which place in the vault covers a document, from what is near to each of its passages.

    Covered means that most of the passages that answer the task stand in the vault already.
    """
    best = [max(found, key=lambda place: place.similarity, default=None) for found in near]
    covered = [place for place in best if place is not None and place.similarity > threshold]
    if not covered or 2 * len(covered) <= len(best):
        return None
    return max(covered, key=lambda place: (round(place.similarity, 4), place.path))


def _is_in(document: Document, group: Iterable[Document]) -> bool:
    return any(is_same(document, other) for other in group)


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
    """Fill what the first hit does not say from the others."""
    first = hits[0]
    return replace(
        first,
        snippet=max((hit.snippet for hit in hits), key=len) if not first.snippet else first.snippet,
        authors=next((hit.authors for hit in hits if hit.authors), ()),
        published=next((hit.published for hit in hits if hit.published), ""),
        doi=next((hit.doi for hit in hits if hit.doi), ""),
        arxiv_id=next((hit.arxiv_id for hit in hits if hit.arxiv_id), ""),
        citations=max((hit.citations for hit in hits if hit.citations is not None), default=None),
    )


def _strength(key: str) -> tuple[int, str]:
    kinds = ("doi", "arxiv", "url", "sha256")
    kind = key.partition(":")[0]
    return (kinds.index(kind) if kind in kinds else len(kinds), key)


def strongest(keys: Iterable[str]) -> str | None:
    """Return the key that identifies best: DOI, arXiv id, address, content."""
    return min(keys, key=_strength, default=None)


def _title(title: str) -> str:
    folded = unicodedata.normalize("NFKC", title).casefold()
    return " ".join(_WORDS.findall(folded))


def _contradict(one: Hit, other: Hit) -> bool:
    """Whether two hits carry identifiers of one kind that differ: two papers of a series."""
    return _differ(_ids(one), _ids(other))


def _ids(hit: Hit) -> Mapping[str, str]:
    return dict(key.split(":", 1) for key in keys_of(hit) if key.startswith(("doi:", "arxiv:")))


def _differ(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return any(one[kind] != other[kind] for kind in one.keys() & other.keys())


def _people_agree(one: Hit, other: Hit) -> bool:
    """Whether year and first author agree as far as they are known, and one of them is."""
    years = [year for year in (one.published[:4], other.published[:4]) if year.isdigit()]
    names = [_surname(hit.authors[0]) for hit in (one, other) if hit.authors]
    if len(years) == 2 and abs(int(years[0]) - int(years[1])) > 1:
        return False
    if len(names) == 2 and names[0] != names[1]:
        return False
    return len(years) == 2 or len(names) == 2


def _surname(name: str) -> str:
    """Return the name that a person is listed under: before a comma, else the last word."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode() or name
    family = plain.partition(",")[0] if "," in plain else plain
    words = [word for word in _WORDS.findall(family.casefold()) if len(word) > 1]
    return words[-1] if words else family.casefold()


def _overlap(one: str, other: str) -> float:
    """Share of the shorter text's five-word runs that the longer one has, too."""
    left, right = set(_runs(one)), set(_runs(other))
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller >= _RUN else 0.0


def _runs(text: str) -> Iterator[str]:
    words = _WORDS.findall(text.casefold()[: 8 * _RUN * _MOST_RUNS])
    for at in range(min(len(words) - _RUN + 1, _MOST_RUNS)):
        yield " ".join(words[at : at + _RUN])
