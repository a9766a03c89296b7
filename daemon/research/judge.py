"""Each document read for its tasks: is it about one, is it new to the vault, what can be quoted?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from daemon.model.agenda import Task
from daemon.model.evidence import Document
from daemon.model.finding import Skip
from daemon.ports import Stop, Vectors
from daemon.research.dedup import all_keys, covering
from daemon.research.evidence import Evidence
from daemon.research.gather import Progress, wanted
from daemon.research.page import is_page, question_of, with_gist
from daemon.research.quotable import quotable
from daemon.research.recall import Recall
from daemon.research.sentences import Sentence
from daemon.research.synthesise import (
    RELEVANCE_FLOOR,
    Question,
    Reading,
    gist,
    plain,
    question,
    read,
    surroundings,
)
from daemon.store.evidence import Rules


@dataclass(frozen=True, slots=True)
class Judged:
    """What may become findings: one reading per document, for the task that it answers best.

    `sentences` and `vectors` are what may be quoted of each document, by its id; `relevance` is how
    near a document is to a task, by (task id, document id).
    """

    readings: tuple[Reading, ...]
    skips: tuple[Skip, ...]
    sentences: Mapping[str, Sequence[Sentence]]
    vectors: Mapping[str, Vectors]
    relevance: Mapping[tuple[str, str], float] = field(default_factory=dict)


def judge(
    evidence: Evidence, recall: Recall, rules: Rules, *, stop: Stop, progress: Progress
) -> Judged:
    """Read every document. What the model was asked is kept, also when it is stopped."""
    try:
        return _judge(evidence, recall, rules, stop, progress)
    finally:
        recall.save()


def _judge(
    evidence: Evidence, recall: Recall, rules: Rules, stop: Stop, progress: Progress
) -> Judged:
    asked = {task.id: _question(task, evidence, recall) for task in wanted(evidence.agenda)}
    sentences: dict[str, Sequence[Sentence]] = {}
    vectors: dict[str, Vectors] = {}
    for number, (id_, document) in enumerate(evidence.documents.items()):
        stop.check()
        progress(number, len(evidence.documents), f"reading {document.hit.title}")
        terms = frozenset().union(*(asked[task.id].terms for task in evidence.asked_of(id_)))
        commands = any(flag.kind == "instructions" for flag in evidence.flags[id_])
        sentences[id_] = quotable(document, terms, has_commands=commands)
        vectors[id_] = recall.vectors([plain(each.text) for each in sentences[id_]])
    for task in filter(is_page, wanted(evidence.agenda)):
        for id_ in (id_ for id_ in evidence.tasks[task.id] if sentences[id_]):
            asked[task.id] = with_gist(asked[task.id], vectors[id_])
    recall.cited([key for document in evidence.documents.values() for key in all_keys(document)])
    read_for = _read_for_tasks(asked, evidence, sentences, vectors)
    readings: list[Reading] = []
    skips: list[Skip] = []
    for id_, document in evidence.documents.items():
        found = max(
            (read_for[task.id, id_] for task in evidence.asked_of(id_) if sentences[id_]),
            key=lambda reading: (reading.relevance, reading.task.score),
            default=None,
        )
        skip = _refusal(document, found, recall, rules)
        if skip is not None:
            skips.append(skip)
        elif found is not None:
            readings.append(found)
    progress(len(evidence.documents), len(evidence.documents), "read all documents")
    relevance = {pair: reading.relevance for pair, reading in read_for.items()}
    return Judged(tuple(readings), tuple(skips), sentences, vectors, relevance)


def _read_for_tasks(
    asked: Mapping[str, Question],
    evidence: Evidence,
    sentences: Mapping[str, Sequence[Sentence]],
    vectors: Mapping[str, Vectors],
) -> dict[tuple[str, str], Reading]:
    """Read each document for each of its tasks, beside what the task's other documents say."""
    found = {}
    for task, each in asked.items():
        ids = [id_ for id_ in evidence.tasks[task] if sentences[id_]]
        gists = {id_: gist(each, vectors[id_]) for id_ in ids}
        for id_ in ids:
            beside = [gists[other] for other in ids if other != id_]
            others = np.concatenate(beside) if beside else None
            document = evidence.documents[id_]
            found[task, id_] = read(each, document, sentences[id_], vectors[id_], others)
    return found


def _question(task: Task, evidence: Evidence, recall: Recall) -> Question:
    pages = evidence.tasks[task.id] if is_page(task) else ()
    if pages:
        return question_of(task, evidence.documents[pages[0]], recall)
    return question(task, recall.note(task.note) if task.note else "", recall)


def _refusal(
    document: Document, found: Reading | None, recall: Recall, rules: Rules
) -> Skip | None:
    """Say why a document makes no finding, or None when it may."""
    hit = document.hit
    cited = recall.cited(all_keys(document))
    if cited:
        return Skip(hit.title, hit.url, "already cited in your notes", note=cited)
    if found is None:
        return Skip(hit.title, hit.url, "no sentence in it can be quoted")
    is_off = found.relevance < RELEVANCE_FLOOR and not is_page(found.task)
    if is_off or not found.quotes:
        return Skip(hit.title, hit.url, f"not about the task ({found.relevance:.2f})")
    near = [
        [*by_sentence, *by_surroundings]
        for by_sentence, by_surroundings in zip(
            recall.near([plain(quote.text) for quote in found.quotes], 1),
            recall.near([surroundings(document.text, quote) for quote in found.quotes], 1),
            strict=True,
        )
    ]
    place = covering(near, rules.covered_similarity)
    if place is None:
        return None
    why = f"already in your notes ({place.similarity:.2f})"
    return Skip(hit.title, hit.url, why, note=place.path)
