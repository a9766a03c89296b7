"""Which readings become findings when there are more than a run may bring."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from daemon.model.agenda import Agenda
from daemon.model.finding import Skip
from daemon.research.judge import Judged
from daemon.research.synthesise import Reading
from daemon.store.evidence import Rules

CENTRALITY_WEIGHT = 0.05  # of the most central document, on the scale of relevance


def able(judged: Judged) -> list[Reading]:
    """Return one reading of each document that may make a finding: of the task it answers best."""
    best: dict[str, Reading] = {}
    for one in judged.readings:
        id_ = one.document.id
        if (one.task.id, id_) in judged.only_evidence:
            continue
        if id_ not in best or _answers_better(one, best[id_]):
            best[id_] = one
    return list(best.values())


def _answers_better(one: Reading, other: Reading) -> bool:
    return (one.relevance, one.task.score) > (other.relevance, other.task.score)


def choose(
    readings: Sequence[Reading],
    agenda: Agenda,
    most: int,
    centrality: Mapping[str, float] | None = None,
    by_source: Mapping[str, int] | None = None,
) -> list[Reading]:
    """Take the best reading of each task in turn, the tasks by score, until there are `most`.

    Of documents that are about equally relevant, the one that is the more central among the works
    that cite each other comes first; `centrality` is in [0, 1], by document key. Of a source in
    `by_source` there are no more than it says.
    """
    order = sorted(agenda.tasks, key=lambda task: -task.score)
    central = centrality or {}
    queues = [
        _ranked([one for one in readings if one.task.id == task.id], central) for task in order
    ]
    chosen: list[Reading] = []
    for turn in range(max(map(len, queues), default=0)):
        chosen += [queue[turn] for queue in queues if turn < len(queue)]
    return _within(chosen, by_source or {})[:most]


def _within(chosen: Sequence[Reading], by_source: Mapping[str, int]) -> list[Reading]:
    """Leave out what is more than its source may bring."""
    taken: Counter[str] = Counter()
    kept = []
    for reading in chosen:
        source = reading.document.hit.source
        taken[source] += 1
        if taken[source] <= by_source.get(source, taken[source]):
            kept.append(reading)
    return kept


def left_over(
    readings: Sequence[Reading], chosen: Collection[Reading], rules: Rules | None = None
) -> list[Skip]:
    """Say of each reading that was not chosen that there were better ones, or no room for it."""
    by_source = rules.max_by_source if rules is not None else {}
    why = rules.why_no_more if rules is not None else ""
    taken = {reading.document.id for reading in chosen}
    return [
        Skip(
            reading.document.hit.title,
            reading.document.hit.url,
            _why_not(reading, len(taken), by_source, why),
        )
        for reading in readings
        if reading.document.id not in taken
    ]


def _why_not(reading: Reading, taken: int, by_source: Mapping[str, int], why: str) -> str:
    source = reading.document.hit.source
    if source in by_source and by_source[source] == 0:
        return f"the findings that {source} may bring are used up"
    if taken == 0 and why:
        return why
    return f"the run had {taken} better findings ({reading.relevance:.2f})"


def _ranked(readings: Sequence[Reading], centrality: Mapping[str, float]) -> list[Reading]:
    def worth(one: Reading) -> float:
        return round(one.relevance + CENTRALITY_WEIGHT * centrality.get(one.document.key, 0.0), 4)

    return sorted(
        readings, key=lambda one: (-worth(one), -max(one.worth, default=0.0), one.document.key)
    )
