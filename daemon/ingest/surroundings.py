"""Where a document belongs in the vault: its tags, and the clusters and folders it concerns."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from daemon.analysis.note_words import key, words_of
from daemon.model.evidence import Match
from daemon.model.literature import Area
from daemon.ports import Vectors

MAX_TAGS, MAX_AREAS = 5, 3
RELEVANT_FROM = 0.35  # similarity
_LOOKED_AT = 12  # notes per passage
_MAX_NOTE = 4000  # characters
_MIN_NOTES = 2  # of a tag that is part of the vocabulary
_MIN_NAMED = 2  # times that the text says a tag's words


class NearNotes:
    """The notes of the vault that are similar to texts; see `ConnectionFinder`.

    Without an embedding model there are none.
    """

    def __init__(
        self,
        embed: Callable[[Sequence[str]], Vectors] | None,
        nearest: Callable[[Vectors, int], list[list[Match]]],
        text: Callable[[str], str],
    ) -> None:
        self._embed, self._nearest, self._text = embed, nearest, text

    def near(self, texts: Sequence[str], limit: int) -> list[list[Match]]:
        """Return per text the similar notes, nearest first. Raises ModelError."""
        if self._embed is None or not texts:
            return [[] for _ in texts]
        return self._nearest(self._embed(texts), limit)

    def note(self, path: str) -> str:
        """Return the beginning of a note's text."""
        return self._text(path)[:_MAX_NOTE]


def nearest(found: Iterable[Sequence[Match]]) -> list[Match]:
    """Join what is near to several texts: each note once, the nearest first."""
    best: dict[str, Match] = {}
    for match in (match for matches in found for match in matches):
        if match.path not in best or match.similarity > best[match.path].similarity:
            best[match.path] = match
    return sorted(best.values(), key=lambda match: (-match.similarity, match.path))


def tags_for(
    title: str, text: str, near: Sequence[Match], tags: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return tags that the vault uses and that fit, without `#`; `tags` are those of each note.

    A tag fits if the text says its words several times, or the title does; those of similar notes
    come first.
    """
    used = Counter(tag.lstrip("#") for each in tags.values() for tag in set(each))
    counts = Counter(key(word) for word in words_of(text))
    titled = {key(word) for word in words_of(title)}
    close: Counter[str] = Counter()
    for match in near:
        if match.similarity >= RELEVANT_FROM:
            close.update({tag.lstrip("#"): match.similarity for tag in tags.get(match.path, ())})
    fitting = [
        tag for tag, count in used.items() if count >= _MIN_NOTES and _is_named(tag, counts, titled)
    ]
    return tuple(sorted(fitting, key=lambda tag: (-close[tag], -used[tag], tag))[:MAX_TAGS])


def areas_of(near: Sequence[Match], clusters: Mapping[str, Sequence[str]]) -> tuple[Area, ...]:
    """Return the clusters and folders whose notes are most similar, the most relevant first.

    `clusters` are the notes of each, by its name. A note in the root is in no folder.
    """
    named = {path: name for name, paths in clusters.items() for path in paths}
    found: dict[str, Area] = {}
    for match in near:
        if match.similarity < RELEVANT_FROM:
            continue
        for name in (named.get(match.path, ""), match.path.rpartition("/")[0]):
            if name and name not in found:
                found[name] = Area(name, round(match.similarity, 2), match.path)
    return tuple(found.values())[:MAX_AREAS]


def _is_named(tag: str, counts: Mapping[str, int], titled: Iterable[str]) -> bool:
    words = [key(word) for word in words_of(tag.rpartition("/")[2].replace("-", " "))]
    if not words:
        return False
    least = min(counts.get(word, 0) for word in words)
    return least >= _MIN_NAMED or (least > 0 and set(words) <= set(titled))
