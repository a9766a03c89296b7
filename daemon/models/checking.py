"""A second opinion: a model of the role `checker` reads each sentence beside what it cites."""

import logging
from collections.abc import Sequence
from heapq import nlargest
from typing import Any

from pydantic import BaseModel, create_model

from daemon.model.errors import LanguageModelError, SpentError
from daemon.model.evidence import Passage
from daemon.model.language_models import Role
from daemon.models.answers import MAX_SENTENCES, CheckedSentence
from daemon.models.barrier import Block, Line
from daemon.models.calls import Calls, Prompt
from daemon.models.redaction import redact
from daemon.models.service import OnEvent

_CHECK = (
    "Each source below begins with a statement; its other sentences are what it rests on. Answer"
    " for each statement, by its id: true if those sentences say the same, as surely; else false."
)
_TOKENS = 100
REFUSED = "the checker finds no support for it in what it cites"
UNREAD = "ended before the checker read it"  # after the name of a budget
FAILED = "the checker gave no answer"
_log = logging.getLogger(__name__)


async def unsupported(
    calls: Calls, question: str, sentences: Sequence[CheckedSentence], on_event: OnEvent
) -> dict[int, str]:
    """Return the places of sentences that are not to be kept, with why; {} without a checker.

    All of them if the checker gives no answer: what is not checked is not kept.
    """
    if not sentences or not calls.service.name(Role.CHECKER):
        return {}
    prompt, form = _prompt(question, sentences)
    try:
        verdicts = (await calls.ask(prompt, form, on_event)).model_dump().values()
    except (LanguageModelError, SpentError) as error:
        _log.warning("could not check sentences with a model: %s", error)
        why = f"{error.budget} {UNREAD}" if isinstance(error, SpentError) else FAILED
        return dict.fromkeys(range(len(sentences)), why)
    return {place: REFUSED for place, is_supported in enumerate(verdicts) if not is_supported}


def share_of(calls: Calls, question: str, given: Sequence[Passage]) -> int:
    """Estimate the tokens of the check of a text about passages; 0 without a checker."""
    if not calls.service.name(Role.CHECKER):
        return 0
    longest = nlargest(MAX_SENTENCES, given, key=lambda each: len(each.text))
    return calls.tokens(*_prompt(question, [CheckedSentence(x.text, (x, x)) for x in longest]))


def _prompt(question: str, sentences: Sequence[CheckedSentence]) -> tuple[Prompt, type[BaseModel]]:
    ids = [f"s{place}" for place in range(len(sentences))]
    blocks = [_block(id_, each) for id_, each in zip(ids, sentences, strict=True)]
    fields: dict[str, Any] = dict.fromkeys(ids, (bool, ...))
    form: type[BaseModel] = create_model("Verdicts", **fields)
    return Prompt(Role.CHECKER, _CHECK, question, blocks, _TOKENS), form


def _block(id_: str, sentence: CheckedSentence) -> Block:
    cited = (redact(each.text).text for each in sentence.cites)
    lines = (Line(f"{id_}-{place}", text) for place, text in enumerate(cited, start=1))
    return Block(id_, (Line(id_, sentence.text), *lines))
