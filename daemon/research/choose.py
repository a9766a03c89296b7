"""Which readings become findings when there are more than a run may bring."""

from collections.abc import Collection, Mapping, Sequence

from daemon.model.agenda import Agenda
from daemon.model.finding import Skip
from daemon.research.synthesise import Reading

CENTRALITY_WEIGHT = 0.05  # of the most central document, on the scale of relevance


def choose(
    readings: Sequence[Reading],
    agenda: Agenda,
    most: int,
    centrality: Mapping[str, float] | None = None,
) -> list[Reading]:
    """Take the best reading of each task in turn, the tasks by score, until there are `most`.

    Of documents that are about equally relevant, the one that is the more central among the works
    that cite each other comes first; `centrality` is in [0, 1], by document key.
    """
    order = sorted(agenda.tasks, key=lambda task: -task.score)
    central = centrality or {}
    queues = [
        _ranked([one for one in readings if one.task.id == task.id], central) for task in order
    ]
    chosen: list[Reading] = []
    for turn in range(max(map(len, queues), default=0)):
        chosen += [queue[turn] for queue in queues if turn < len(queue)]
    return chosen[:most]


def left_over(readings: Sequence[Reading], chosen: Collection[Reading]) -> list[Skip]:
    """Say of each reading that was not chosen that there were better ones."""
    taken = {reading.document.id for reading in chosen}
    return [
        Skip(
            reading.document.hit.title,
            reading.document.hit.url,
            f"the run had {len(taken)} better findings ({reading.relevance:.2f})",
        )
        for reading in readings
        if reading.document.id not in taken
    ]


def _ranked(readings: Sequence[Reading], centrality: Mapping[str, float]) -> list[Reading]:
    def worth(one: Reading) -> float:
        return round(one.relevance + CENTRALITY_WEIGHT * centrality.get(one.document.key, 0.0), 4)

    return sorted(readings, key=lambda one: (-worth(one), -one.score, one.document.key))
