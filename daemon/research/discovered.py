"""What sources offer before anything is read, for a user who chooses what is."""

from dataclasses import dataclass

from daemon.model.agenda import Task
from daemon.model.evidence import Credibility
from daemon.model.sources import LIBRARY
from daemon.research.dedup import Offer
from daemon.research.hook_filters import chosen_of
from daemon.research.offered import active_tasks, to_choose_from
from daemon.research.recall import Recall
from daemon.research.weigh import weigh
from daemon.store.evidence import RunFolder


@dataclass(frozen=True, slots=True)
class Discovered:
    """One document that is offered for a task.

    `note` cites it, or is ""; `is_known` when an earlier run offered it. `credibility` is as far as
    the sources tell. `requests` is how many are sent to read it: none for a file of the user's.
    """

    task: Task
    offer: Offer
    note: str
    is_known: bool
    credibility: Credibility
    requests: int


def discovered(folder: RunFolder, recall: Recall) -> list[Discovered]:
    """List what the folder's answers offer, task by task, the best first, each document once."""
    found: list[Discovered] = []
    seen: set[str] = set()
    for task in active_tasks(folder.agenda):
        if chosen_of(task.id, folder) is None:
            continue
        for offer in to_choose_from(task, folder):
            if offer.ref not in seen:
                seen.add(offer.ref)
                found.append(_discovered(task, offer, recall))
    return found


def _discovered(task: Task, offer: Offer, recall: Recall) -> Discovered:
    keys = list(offer.keys)
    return Discovered(
        task=task,
        offer=offer,
        note=recall.cited(keys),
        is_known=bool(recall.known(keys)),
        credibility=weigh(offer.hit, None, recall.table(), finders=offer.also_from),
        requests=0 if offer.hit.file or offer.hit.source == LIBRARY else 1,
    )
