"""From opportunities to questions: a model words the queries of an agenda, and adds some.

A query of a model passes the same check as any other, and the topic, the sources and the note of a
task remain those of the deterministic plan, which stands wherever the model gives nothing better.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field, create_model

from daemon.agenda.topic_words import is_same
from daemon.model.agenda import Gap
from daemon.model.errors import LanguageModelError, SpentError
from daemon.model.language_models import Role
from daemon.models.barrier import Barrier, Block, Line, clean
from daemon.models.calls import Calls, Prompt
from daemon.models.forms import one_of
from daemon.models.redaction import redact
from daemon.models.service import ModelService
from daemon.models.stopping import until_stopped
from daemon.ports import Stop
from daemon.store.model_calls import CallRecord

SECONDS = 15.0  # for the whole plan
_PLAN = (
    "You plan a search. Each line below is a topic that somebody's notes lack, and why. Write one"
    " or two search queries for each topic, by its id: two to eight words, taken from its line, as"
    " one would type them into a search engine. `reason`: what the answer would add, in a sentence."
)
_TOKENS = 600
_MAX_TASKS = 16
_MAX_LENGTH = 120  # characters of a query
_MAX_REASON = 200
_log = logging.getLogger(__name__)
Passes = Callable[[Gap], bool]


class PlannedTask(BaseModel):
    """A query for a topic, which is named by its id."""

    model_config = ConfigDict(extra="forbid")

    topic: str
    query: str = Field(max_length=_MAX_LENGTH)
    reason: str = Field(max_length=_MAX_REASON)


class PlannedTasks(BaseModel):
    """What a model proposes to search for."""

    model_config = ConfigDict(extra="forbid")

    tasks: list[PlannedTask] = Field(max_length=_MAX_TASKS)


class Planning:
    """Asks the classifier, or the writer; `record` returns where its prompts are kept."""

    def __init__(
        self, service: ModelService, record: Callable[[], CallRecord], seconds: float = SECONDS
    ) -> None:
        self._service = service
        self._record = record
        self._seconds = seconds
        on = (role for role in (Role.CLASSIFIER, Role.WRITER) if service.name(role))
        self._role = next(on, Role.WRITER)

    def __call__(self, gaps: Sequence[Gap], passes: Passes, most: int, stop: Stop) -> list[Gap]:
        """Return at most `most` gaps, some with other queries; those given if anything is wrong.

        `passes` is the check of queries. The user's own questions keep their words. Raises
        StoppedError.
        """
        own = [each for each in gaps if not each.is_question]
        if not own or not self._service.name(self._role):
            return list(gaps)
        record = self._record()
        barrier = Barrier(record.secret)
        try:
            tasks = asyncio.run(until_stopped(self._asked(own, record, barrier), stop))
        except (LanguageModelError, SpentError, TimeoutError) as error:
            _log.warning("The plan was made without a model: %s", error or "it took too long")
            return list(gaps)
        texts = [text for task in tasks for text in (task.query, task.reason)]
        if why := barrier.why_not(texts, _MAX_REASON):
            _log.warning("The plan of the model was dropped: %s", why)
            return list(gaps)
        return _planned(gaps, [_gap(task, own, self._name) for task in tasks], passes, most)

    @property
    def _name(self) -> str:
        return self._service.name(self._role)

    async def _asked(
        self, gaps: Sequence[Gap], record: CallRecord, barrier: Barrier
    ) -> list[PlannedTask]:
        ids = [f"g{place}" for place in range(1, len(gaps) + 1)]
        texts = (redact(f"{each.topic}: {each.why}").text for each in gaps)
        lines = tuple(Line(id_, text) for id_, text in zip(ids, texts, strict=True))
        prompt = Prompt(self._role, _PLAN, "What is worth asking?", [Block("g", lines)], _TOKENS)
        task = create_model("PlannedTask", __base__=PlannedTask, topic=(one_of(ids), ...))
        form = create_model(
            "PlannedTasks",
            __base__=PlannedTasks,
            tasks=(list[task], Field(max_length=_MAX_TASKS)),  # type: ignore[valid-type]  # made here
        )
        calls = Calls(self._service, record, barrier, self._seconds)
        async with asyncio.timeout(self._seconds):
            found = await calls.ask(prompt, form, lambda _line: None)
        return list(found.tasks)


def _gap(task: PlannedTask, gaps: Sequence[Gap], model: str) -> tuple[Gap, Gap]:
    """Return the gap that a task is for, and the one that it makes of it."""
    gap = gaps[int(task.topic.removeprefix("g")) - 1]
    details = f"{gap.details}; " if gap.details else ""
    note = f"{details}query by {model}: {clean(task.reason)}"
    return gap, replace(gap, query=clean(task.query), details=note)


def _planned(
    gaps: Sequence[Gap], proposed: Sequence[tuple[Gap, Gap]], passes: Passes, most: int
) -> list[Gap]:
    """Return the gaps with the first fitting query of each, then further ones up to `most`."""
    good = [(gap, made) for gap, made in proposed if passes(made)]
    planned = []
    further = list[Gap]()
    for gap in gaps:
        made = [each for of, each in good if of is gap]
        planned.append(made[0] if made else gap)
        further += [replace(each, topic=each.query) for each in made[1:]]
    for each in further:
        is_new = not any(is_same(each.topic, one.query or one.topic) for one in planned)
        if len(planned) < most and is_new:
            planned.append(each)
    return planned
