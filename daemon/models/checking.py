"""A second opinion: a model of the role `checker` reads each sentence beside what it cites."""

import logging
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, create_model

from daemon.model.errors import LanguageModelError, SpentError
from daemon.model.language_models import Role
from daemon.models.answers import CheckedSentence
from daemon.models.barrier import Block, Line
from daemon.models.calls import Calls, Prompt
from daemon.models.redaction import redact
from daemon.models.service import OnEvent

_CHECK = (
    "Each source below begins with a statement; its other sentences are what it rests on. Answer"
    " for each statement, by its id: true if those sentences say the same, as surely; else false."
)
_TOKENS = 100
_log = logging.getLogger(__name__)


async def unsupported(
    calls: Calls, question: str, sentences: Sequence[CheckedSentence], on_event: OnEvent
) -> set[int]:
    """Return the places of sentences that the checker finds unsupported.

    Empty without a checker. All of them when it gives no answer: what is not checked is not kept.
    """
    if not sentences or not calls.service.name(Role.CHECKER):
        return set()
    ids = [f"s{place}" for place in range(len(sentences))]
    blocks = [_block(id_, each) for id_, each in zip(ids, sentences, strict=True)]
    prompt = Prompt(Role.CHECKER, _CHECK, question, blocks, _TOKENS)
    fields: dict[str, Any] = dict.fromkeys(ids, (bool, ...))
    form: type[BaseModel] = create_model("Verdicts", **fields)
    try:
        verdicts = await calls.ask(prompt, form, on_event)
    except (LanguageModelError, SpentError) as error:
        _log.warning("could not check sentences with a model: %s", error)
        return set(range(len(sentences)))
    return {place for place, id_ in enumerate(ids) if not getattr(verdicts, id_)}


def _block(id_: str, sentence: CheckedSentence) -> Block:
    cited = (redact(each.text).text for each in sentence.cites)
    lines = (Line(f"{id_}-{place}", text) for place, text in enumerate(cited, start=1))
    return Block(id_, (Line(id_, sentence.text), *lines))
