"""Query sources in parallel: their results, and which of them notes contradict.

Nothing is fetched: a result is the source's own text about it, screened like any untrusted text.
"""

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from daemon.model.evidence import Answer, Hit, SourceStatus
from daemon.ports import Source
from daemon.research.dedup import Offer, offers
from daemon.research.instructions import is_suspect
from daemon.research.patience import error_line
from daemon.research.screen import screen_result
from daemon.research.sentences import sentences
from daemon.research.stance import Relation, Stance

RESULTS = 10  # requested from each source
_SHOWN = 2  # sentences of a result
_MAX_LENGTH = 400  # characters of them
_COMPARED = 60  # sentences of each side that are compared
_MIN_LIKENESS = 0.3  # Dice of significant words below which two sentences are not compared
_MIN_LENGTH = 25  # characters of a meaningful sentence


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A sentence of a note, and one of a result that states the opposite or another figure."""

    path: str
    ours: str
    offer: Offer
    theirs: str
    is_opposed: bool  # otherwise the figures differ


class WebQuery:
    """Queries sources in a thread of its own, so that no source can block the caller."""

    def __init__(self, sources: Mapping[str, tuple[Source, float]], queries: Sequence[str]) -> None:
        """`sources` are those to query, by name, each with its own time limit in seconds.

        Each source gets one query after the other; all sources are queried in parallel.
        """
        self._sources = sources
        self._queries = tuple(queries)
        self._answers: dict[tuple[str, str], Answer] = {}
        self._changed = threading.Condition()
        self._began = time.monotonic()
        threading.Thread(target=self._work, name="sources", daemon=True).start()

    def answers(self, deadline: float) -> list[Answer]:
        """Wait for all answers, at most until `deadline` of the monotonic clock.

        A source that has not answered a query by then is unavailable for it.
        """
        wanted = [(name, query) for name in self._sources for query in self._queries]
        with self._changed:
            while len(self._answers) < len(wanted):
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    break
            known = dict(self._answers)
        seconds = time.monotonic() - self._began
        return [known.get(each) or _late(*each, seconds) for each in wanted]

    def _work(self) -> None:
        asyncio.run(self._ask_all())

    async def _ask_all(self) -> None:
        await asyncio.gather(*map(self._ask, self._sources))

    async def _ask(self, name: str) -> None:
        for query in self._queries:
            answer = await self._answer(name, query)
            with self._changed:
                self._answers[name, query] = answer
                self._changed.notify_all()

    async def _answer(self, name: str, query: str) -> Answer:
        source, seconds = self._sources[name]
        try:
            async with asyncio.timeout(seconds):
                return await source.search(query, limit=RESULTS)
        except TimeoutError:
            return _late(name, query, seconds)
        except Exception as error:  # noqa: BLE001 one source's fault is no other's
            why = error_line(error)
            return Answer(name, query, SourceStatus.UNAVAILABLE, why=why)


def found_in(answers: Sequence[Answer], query: str) -> list[Offer]:
    """Merge the sources' results, screened; the best match of the question's words first.

    Results with none of the question's words are dropped, unless they are a table of figures.
    """
    asked = Stance(query).stems
    matched = [(_match(offer.hit, asked), offer) for offer in joined(answers)]
    kept = [(share, offer) for share, offer in matched if share > 0 or offer.hit.figures]
    kept.sort(key=lambda each: -round(each[0], 1))
    return [offer for _, offer in kept]


def joined(answers: Sequence[Answer]) -> list[Offer]:
    """Merge the sources' results, screened."""
    return offers([[_screened(hit) for hit in answer.hits] for answer in answers])


def excerpt(text: str, query: str) -> str:
    """Return the sentences of a text with most of the question's words, in order."""
    asked = Stance(query).stems
    statements = [each.text for each in sentences(text, wrapped=False) if not is_suspect(each.text)]
    best = sorted(statements, key=lambda each: -len(asked & Stance(each).stems))[:_SHOWN]
    shown = " ".join(each for each in statements if each in best)
    if not statements and text and not is_suspect(text):
        shown = " ".join(text.split())
    return shown if len(shown) <= _MAX_LENGTH else shown[: _MAX_LENGTH - 1].rsplit(" ", 1)[0] + "…"


def contradictions(
    notes: Sequence[tuple[str, str]], found: Sequence[Offer], deadline: float, most: int = 5
) -> list[Contradiction]:
    """Compare sentences of notes (path, text) with those of results, at most until `deadline`."""
    ours = [(path, one) for path, text in notes for one in _sayings(text)][:_COMPARED]
    theirs = [(offer, one) for offer in found for one in _sayings(offer.hit.snippet)][:_COMPARED]
    kept: dict[tuple[str, str], Contradiction] = {}
    for (path, (mine, our)), (offer, (other, their)) in product(ours, theirs):
        if len(kept) >= most or time.monotonic() >= deadline:
            break
        if our.likeness(their) < _MIN_LIKENESS or mine == other:
            continue
        relation = our.relation(their)
        if relation in (Relation.OPPOSED, Relation.DIFFERENT):
            is_opposed = relation is Relation.OPPOSED
            kept.setdefault(
                (path, other), Contradiction(path, mine, offer, other, is_opposed=is_opposed)
            )
    return list(kept.values())


def _sayings(text: str) -> list[tuple[str, Stance]]:
    statements = (" ".join(each.text.split()) for each in sentences(text, wrapped=False))
    return [
        (one, Stance(one)) for one in statements if len(one) >= _MIN_LENGTH and not is_suspect(one)
    ]


def _screened(hit: Hit) -> Hit:
    """Remove what is invisible, and what addresses a machine instead of a reader."""
    screened = screen_result(hit)
    title = "" if is_suspect(screened.title) else screened.title
    return replace(screened, title=title or screened.url)


def _match(hit: Hit, asked: frozenset[str]) -> float:
    """Return the share of the question's significant words that a result has in title or text."""
    if not asked:
        return 1.0
    return len(asked & Stance(f"{hit.title}. {hit.snippet[:2000]}").stems) / len(asked)


def _late(name: str, query: str, seconds: float) -> Answer:
    why = f"no answer in {seconds:.1f} s"
    return Answer(name, query, SourceStatus.UNAVAILABLE, why=why, seconds=seconds)
