"""Choose which citations to follow: from search results to their references and citations. Pure.

Each hop queries the works that are best by credibility and centrality, regardless of which hop
found them. It ends when a hop finds nothing new, at the maximum of hops, or when enough works were
queried. The same input gives the same path: so a run can be resumed and replayed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from daemon.model.agenda import DepthLimits
from daemon.model.citations import Citations
from daemon.model.evidence import Hit
from daemon.research.centrality import pagerank
from daemon.research.identity import keys_of, strongest

MAX_WORKS = 5000  # of one task; a larger graph adds nothing

Known = Callable[[str, str], Citations | None]  # work key, source -> its answer, if it was queried
Trust = Callable[[Hit], float]  # credibility of a work alone, in [0, 1]


@dataclass(frozen=True, slots=True)
class Work:
    """A work of the graph. `hop` is 0 for search results; `reached` says from where."""

    key: str
    hit: Hit
    keys: tuple[str, ...]
    hop: int = 0
    reached: str = ""  # "cited by “…”", "cites “…”"


@dataclass(slots=True)
class Graph:
    """Works by their keys, and citations: (citing, cited) → the sources that state them."""

    works: dict[str, Work] = field(default_factory=dict)
    cites: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)  # any identity of a work -> its key

    def add(self, hit: Hit, hop: int = 0, reached: str = "") -> str | None:
        """Add a work, or fill in a known one; return its key.

        None for one without any identity, and for a new one if there are too many.
        """
        keys = [key for key in keys_of(hit) if not key.startswith("file:")]
        known = next((self._names[key] for key in keys if key in self._names), None)
        if known is None:
            if not keys or len(self.works) >= MAX_WORKS:
                return None
            known = strongest(keys) or keys[0]
            self.works[known] = Work(known, hit, (), hop, reached)
        work = self.works[known]
        if hop < work.hop:
            work = replace(work, hop=hop, reached=reached)
        both = tuple(dict.fromkeys((*work.keys, *keys)))
        self.works[known] = replace(work, hit=_learned(work.hit, hit), keys=both)
        for key in keys:
            self._names.setdefault(key, known)
        return known

    def link(self, citing: str, cited: str, source: str) -> None:
        if citing != cited:
            self.cites.setdefault((citing, cited), {})[source] = None

    def find(self, keys: Iterable[str]) -> Work | None:
        """Return the work that has one of these identities."""
        names = (self._names[key] for key in keys if key in self._names)
        return next((self.works[name] for name in names), None)

    def join(self, other: "Graph") -> None:
        """Merge another graph, whose works may have other keys here."""
        keys = {
            work.key: self.add(work.hit, work.hop, work.reached) for work in other.works.values()
        }
        for (citing, cited), sources in other.cites.items():
            ours, theirs = keys.get(citing), keys.get(cited)
            for source in sources if ours and theirs else ():
                self.link(str(ours), str(theirs), source)

    def centrality(self) -> Mapping[str, float]:
        """PageRank by work key; the ranks sum up to 1."""
        return pagerank(list(self.works), self.cites)


@dataclass(frozen=True, slots=True)
class Walk:
    """How far it went. `missing` is what to query before it can continue: (work, source)."""

    graph: Graph
    followed: tuple[str, ...]  # works whose citations are known, in order
    hops: int
    end_reason: str  # why it stopped, in words
    missing: tuple[tuple[Work, str], ...] = ()


def walk(
    seeds: Sequence[Hit], sources: Sequence[str], known: Known, limits: DepthLimits, trust: Trust
) -> Walk:
    """Go as far as the `known` answers allow."""
    graph = Graph()
    for seed in seeds:
        graph.add(seed)
    asked: list[str] = []
    hop = 0
    ended = "the hops are used up"
    while hop < limits.hops:
        share = ceil((limits.works - len(asked)) / (limits.hops - hop))
        chosen = _next(graph, asked, share, trust)
        if not chosen:
            ended = "all were asked about" if share > 0 else "enough works were asked about"
            break
        pairs = [(work, name) for work in chosen for name in sources]
        missing = tuple((work, name) for work, name in pairs if known(work.key, name) is None)
        if missing:
            return Walk(graph, tuple(asked), hop, "not all has been asked yet", missing)
        hop += 1
        asked += [work.key for work in chosen]
        before = len(graph.works)
        for work, name in pairs:
            _take(graph, work, known(work.key, name), hop)
        if len(graph.works) == before:
            ended = "the last hop brought nothing new"
            break
    return Walk(graph, tuple(asked), hop, ended)


def ranked(graph: Graph, trust: Trust) -> list[Work]:
    """Return all works, best first, by credibility and centrality, without retracted ones."""
    centrality = graph.centrality()
    highest = max(centrality.values(), default=1.0)
    scores = {
        work.key: round(trust(work.hit) * (1 + centrality[work.key] / highest) / 2, 4)
        for work in graph.works.values()
    }
    found = [work for work in graph.works.values() if scores[work.key] > 0]
    return sorted(found, key=lambda work: (-scores[work.key], work.hop))


def _next(graph: Graph, asked: Sequence[str], share: int, trust: Trust) -> list[Work]:
    """Choose the works to query in the next hop."""
    if share < 1:
        return []
    done = set(asked)
    return [work for work in ranked(graph, trust) if work.key not in done][:share]


def _take(graph: Graph, work: Work, citations: Citations | None, hop: int) -> None:
    """Add a source's answer about a work's citations."""
    for hit, is_reference in _linked(citations):
        how = "cited by" if is_reference else "cites"
        key = graph.add(hit, hop, f"{how} “{_short(work.hit.title)}”")
        if key is not None and citations is not None:
            pair = (work.key, key) if is_reference else (key, work.key)
            graph.link(*pair, citations.source)


def _linked(citations: Citations | None) -> Iterator[tuple[Hit, bool]]:
    if citations is not None:
        yield from ((hit, True) for hit in citations.references)
        yield from ((hit, False) for hit in citations.citing)


def _learned(known: Hit, other: Hit) -> Hit:
    """Fill missing fields of a work from another source."""
    counts = [each.citations for each in (known, other) if each.citations is not None]
    is_named = known.title.casefold() not in ("", known.doi.casefold(), known.url.casefold())
    return replace(
        known,
        title=known.title if is_named else other.title or known.title,
        snippet=known.snippet or other.snippet,
        authors=known.authors or other.authors,
        published=known.published or other.published,
        doi=known.doi or other.doi,
        arxiv_id=known.arxiv_id or other.arxiv_id,
        content_url=known.content_url or other.content_url,
        citations=max(counts, default=None),
        retracted=known.retracted or other.retracted,
    )


def _short(title: str, longest: int = 90) -> str:
    return title if len(title) <= longest else title[:longest].rsplit(" ", 1)[0] + " …"
