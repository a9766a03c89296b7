"""From passages to a short text: a model writes it, and every sentence is checked.

One call holds either passages of the user's own or results of sources, never both.
"""

import asyncio
import logging
import secrets
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from daemon.model.errors import LanguageModelError, SpentError
from daemon.model.evidence import Passage
from daemon.model.language_models import Role
from daemon.model.written import Quoted, Written, WrittenSentence
from daemon.models.answers import (
    MAX_OF_REPORT,
    MAX_SENTENCES,
    CheckedText,
    check_sentences,
    text_form,
    without,
)
from daemon.models.barrier import Barrier, Block, Line, clean
from daemon.models.calls import Calls, Prompt
from daemon.models.checking import unsupported
from daemon.models.checks import Scorer
from daemon.models.redaction import redact
from daemon.models.service import ModelService, OnEvent
from daemon.models.source_passages import SourcePassages
from daemon.models.stopping import until_stopped
from daemon.ports import Stop
from daemon.store.model_calls import NoRecord

_WRITE = (
    "Answer a question in two or three short sentences, from the numbered sentences alone. Say"
    " first what answers it; then what speaks against it or is missing. Restate them closely, with"
    " their own words, numbers and names, and add nothing. `cites`: ids of the one or two sentences"
    " that say it. `concepts`: none. `title`: empty."
)
_REPORT = (
    "Write the opening of a report in four to eight short sentences, from the numbered sentences"
    " alone. Begin with what most sources state; then results with their figures; then what"
    " contradicts or limits them. One thought follows from the other. Restate the sentences"
    " closely, with their own words, numbers and names, and add nothing. `cites`: ids of the one"
    " or two sentences that say it. `concepts`: none. `title`: empty."
)
# The next is asked if the one before it fails.
ORDER = (Role.WRITER, Role.READER, Role.CHECKER, Role.CLASSIFIER)
MAX_SOURCES = len(ascii_lowercase)
_log = logging.getLogger(__name__)


class Synthesis:
    """Writes short texts; `tokens` and `seconds` are the most that one call may take."""

    def __init__(
        self, service: ModelService, scorer: Scorer, *, tokens: int, seconds: float
    ) -> None:
        self._service, self._scorer = service, scorer
        self._tokens, self._seconds = tokens, seconds

    def write(
        self,
        question: str,
        quoted: Sequence[Quoted],
        allowed: Collection[Role],
        *,
        seconds: float,
        stop: Stop,
        on_event: OnEvent,
        is_report: bool = False,
    ) -> Written:
        """Return a text on a question by the first of the allowed models that writes one.

        That of a report is longer. `on_event` gets the state of each call. Raises StoppedError.
        """
        asked = _Asked(question, _sources(quoted), allowed, is_report, on_event)
        work = self._written(asked)
        try:
            return asyncio.run(_within(seconds, work, stop))
        except TimeoutError:
            return Written(why=f"no text within {seconds:g} seconds")

    async def _written(self, asked: "_Asked") -> Written:
        found = Written(why="no model may write it")
        tried = set[str]()
        for role in ORDER:
            name = self._service.name(role)
            if role not in asked.allowed or not name or name in tried:
                continue
            tried.add(name)
            try:
                found = await self._by(role, asked)
            except (LanguageModelError, SpentError) as error:
                _log.warning("%s wrote no text: %s", name, error)
                found = Written(why=str(error))
            if found.sentences:
                return found
        return found

    async def _by(self, role: Role, asked: "_Asked") -> Written:
        """Raises LanguageModelError, SpentError."""
        barrier = Barrier(secrets.token_bytes(16))
        calls = Calls(self._service, NoRecord(), barrier, self._seconds)
        passages = [each.passages for each in asked.given]
        blocks = [Block(each.id, each.lines) for each in passages]
        most = MAX_OF_REPORT if asked.is_report else MAX_SENTENCES
        form = text_form([line.id for each in passages for line in each.lines], most=most)
        how, question = _REPORT if asked.is_report else _WRITE, asked.question
        prompt = Prompt(role, how, question, blocks, self._tokens)
        text = await calls.ask(prompt, form, asked.on_event)
        kept = check_sentences(text, passages, question, barrier, self._scorer)
        bad = dict[int, str]()
        if Role.CHECKER in asked.allowed:  # it reads what the sentences cite
            bad = await unsupported(calls, question, kept.sentences, asked.on_event)
        kept = without(kept, bad, question) if bad else kept
        return _with_numbers(kept, asked.given, self._service.name(role))


@dataclass(frozen=True, slots=True)
class _Source:
    """The sentences of one source, and the number of each by its id."""

    passages: SourcePassages
    numbers: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is written from what, and which roles may read it."""

    question: str
    given: Sequence[_Source]
    allowed: Collection[Role]
    is_report: bool
    on_event: OnEvent


def _sources(quoted: Sequence[Quoted]) -> list[_Source]:
    """Return the sentences by source, each with an id."""
    by_source: dict[str, list[Quoted]] = {}
    for each in quoted:
        by_source.setdefault(each.source, []).append(each)
    letters = zip(ascii_lowercase, by_source.values(), strict=False)
    return [_source(letter, group) for letter, group in letters]


def _source(letter: str, group: Sequence[Quoted]) -> _Source:
    ids = {f"{letter}{place}": each for place, each in enumerate(group, 1)}
    places = {id_: Passage(each.source, 0, len(each.text), each.text) for id_, each in ids.items()}
    lines = tuple(Line(id_, redact(clean(each.text)).text) for id_, each in ids.items())
    passages = SourcePassages(letter, group[0].name, "", lines, places, tuple(ids))
    return _Source(passages, {id_: each.number for id_, each in ids.items()})


def _with_numbers(kept: CheckedText, given: Sequence[_Source], model: str) -> Written:
    numbers = {
        (place.document, place.text): each.numbers[id_]
        for each in given
        for id_, place in each.passages.places.items()
    }
    sentences = tuple(
        WrittenSentence(
            each.text,
            tuple(dict.fromkeys(numbers[cite.document, cite.text] for cite in each.cites)),
        )
        for each in kept.sentences
    )
    return Written(sentences, model, kept.why or ("" if sentences else "nothing passed the checks"))


async def _within(seconds: float, work: Coroutine[Any, Any, Written], stop: Stop) -> Written:
    async with asyncio.timeout(seconds):
        return await until_stopped(work, stop)
