"""A page that the user requested: fetched and read like any other, with its own main statements as
answers.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from daemon.model.agenda import Task
from daemon.model.evidence import Answer, Document, Hit, SourceStatus, SourceType
from daemon.model.sources import PAGE
from daemon.ports import Vectors
from daemon.research.question import Question, question
from daemon.research.recall import Recall


class Page:
    """Answers an address with that address. Nothing is sent for the question itself."""

    is_local: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return PAGE

    async def search(self, query: str, *, limit: int) -> Answer:
        hit = Hit(source=PAGE, source_type=SourceType.WEB, url=query, title="")
        return Answer(PAGE, query, SourceStatus.OK, hits=(hit,)[:limit], requests=0)


def question_of(task: Task, document: Document, recall: Recall) -> Question:
    """Query what the page is about, by its title; see `with_centroid`."""
    title = document.hit.title
    asked = question(replace(task, query=title, topic=title), "", recall)
    return replace(asked, task=task)


def with_centroid(asked: Question, vectors: Vectors) -> Question:
    """Add the page's centroid to the query; `vectors` are `(n, d)`, its sentences'."""
    middle = vectors.mean(axis=0, keepdims=True)
    length = float(np.linalg.norm(middle))
    if not length:
        return asked
    return replace(asked, asked=np.concatenate([asked.asked, middle / length]))
