"""Learn from the user's decisions: which of them are close to a gap, and what they mean for it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set

from daemon.analysis.score import BESIDE, LINKED, MAX_LESSON_WEIGHT, SAME, fading, with_lessons
from daemon.analysis.view import View
from daemon.model.agenda import Gap
from daemon.model.finding import Lesson
from daemon.model.topics import topic_key
from daemon.model.wording import counted

_MIN_WEIGHT = 0.01  # of a decision, below which it has faded
_ROUNDING = 0.001


class Lessons:
    """All decisions, by the notes, clusters, folders and topics that they are about.

    The same rows and decisions give the same result, in any order.
    """

    def __init__(self, lessons: Iterable[Lesson], view: View) -> None:
        weighed = [(each, fading(each.decided_at, view.now)) for each in lessons]
        kept = [(each, weight) for each, weight in weighed if weight >= _MIN_WEIGHT]
        self._lessons: Sequence[Lesson] = [each for each, _ in kept]
        self._weights = [weight for _, weight in kept]
        self._same: defaultdict[str, set[int]] = defaultdict(set)  # by note
        self._linked: defaultdict[str, set[int]] = defaultdict(set)  # by note
        self._beside: defaultdict[str, set[int]] = defaultdict(set)  # by folder
        self._topics: defaultdict[str, set[int]] = defaultdict(set)
        areas = {path: area.notes for area in view.clusters for path in area.notes}
        for number, lesson in enumerate(self._lessons):
            self._topics[lesson.topic].add(number)
            self._beside[_folder(lesson.note)].add(number)
            for path in filter(None, (lesson.note, lesson.became)):
                self._same[path].add(number)
                linked = view.graph.neighbours(path) if path in view.graph.into else ()
                for near in (*linked, *areas.get(path, ())):
                    self._linked[near].add(number)
        self._beside.pop("", None)  # notes outside of any folder have nothing in common

    @property
    def margin(self) -> float:
        """How far apart the scores of two gaps may be whose order the decisions change."""
        return 2 * MAX_LESSON_WEIGHT + _ROUNDING if self._lessons else 0.0

    def apply(self, gap: Gap) -> Gap:
        """Return the gap weighed by the decisions near it, each counted once, as the closest."""
        if not self._lessons:
            return gap
        near = dict(self._nearby(gap))
        if not near:
            return gap
        balance = sum(
            closeness * self._weights[number] * (1 if self._lessons[number].is_accepted else -1)
            for number, closeness in sorted(near.items())
        )
        return with_lessons(gap, balance, self._reason(near.keys()))

    def _nearby(self, gap: Gap) -> Iterator[tuple[int, float]]:
        """Yield the relevant decisions with their closeness, the closest last."""
        for path in gap.notes:
            yield from ((number, BESIDE) for number in self._beside.get(_folder(path), ()))
        for path in gap.notes:
            yield from ((number, LINKED) for number in self._linked.get(path, ()))
            yield from ((number, LINKED) for number in self._same.get(path, ()))
        for path in gap.notes[:1]:  # the others are its neighbours, or its cluster
            yield from ((number, SAME) for number in self._same.get(path, ()))
        yield from ((number, SAME) for number in self._topics.get(topic_key(gap.topic), ()))

    def _reason(self, near: Set[int]) -> str:
        accepted = sum(self._lessons[number].is_accepted for number in near)
        reasons = [
            f"{verb} {counted(count, 'finding')}"
            for verb, count in (("accepted", accepted), ("dismissed", len(near) - accepted))
            if count
        ]
        return f"You {' and '.join(reasons)} on related topics."


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
