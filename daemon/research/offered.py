"""The offers of sources for a task, and which of them to fetch."""

from collections.abc import Sequence

from daemon.model.agenda import DEPTH_LIMITS, Agenda, Choice, Origin, Task
from daemon.research.dedup import Offer, offers
from daemon.research.farms import farm
from daemon.research.hook_filters import chosen_of, left_by_hooks, left_in
from daemon.research.recall import Recall
from daemon.research.subject_works import without_subjects
from daemon.store.evidence import RunFolder


def active_tasks(agenda: Agenda) -> list[Task]:
    return [task for task in agenda.tasks if task.choice is Choice.WANTED]


def offered(task: Task, folder: RunFolder) -> list[Offer]:
    """Merge the folder's answers of the sources to a task, best first.

    Without documents that the user's hooks removed, and works that the task's note is about.
    """
    return without_subjects(left_in(returned(task, folder), task.id, folder), task)


def to_choose_from(task: Task, folder: RunFolder) -> list[Offer]:
    """Return what is offered for a task, whatever the user has chosen of it, the best first."""
    return without_subjects(left_by_hooks(returned(task, folder), task.id, folder), task)


def returned(task: Task, folder: RunFolder) -> list[Offer]:
    """Merge all answers of the sources to a task, best first."""
    answers = [folder.answer(task.id, name) for name in dict.fromkeys(task.sources)]
    return offers([answer.hits for answer in answers if answer is not None])


def to_fetch(
    task: Task, found: Sequence[Offer], agenda: Agenda, folder: RunFolder, recall: Recall
) -> tuple[list[Offer], list[Offer]]:
    """Split a task's results: (new ones, those offered in earlier runs).

    Both are fetched, the old ones as additional evidence; at most half as many of them. A document
    that turns out to be known after fetching is replaced by another; farms come last. For a new
    question of the user's, every document is new. What the user chose is fetched
    whatever the depth, and is new.
    """
    if chosen_of(task.id, folder) is not None:
        recall.known([key for offer in found for key in offer.keys])
        return list(found), []
    limits = DEPTH_LIMITS[agenda.depth]
    left = {False: limits.documents, True: limits.own}  # those with passages are read only there
    fresh: list[Offer] = []
    old: list[Offer] = []
    recall.known([key for offer in found for key in offer.keys])  # all in one query, stored once
    table, is_new = recall.table(), is_new_question(task, recall)
    for offer in sorted(found, key=lambda offer: bool(farm(offer.hit, "", table))):
        is_own = bool(offer.hit.passages)
        if not left[is_own]:
            continue
        outcome = folder.outcome(offer.ref)
        keys = [*offer.keys, outcome.key] if outcome is not None and outcome.key else offer.keys
        is_known = bool(recall.known(keys)) and not is_new
        (old if is_known else fresh).append(offer)
        if not is_known:
            left[is_own] -= 1
    return fresh, old


def is_new_question(task: Task, recall: Recall) -> bool:
    """Return whether the user asks this, in their own words, for the first time."""
    return task.origin is Origin.QUESTION and recall.is_new_question(task.query)
