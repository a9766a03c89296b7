"""How a question is answered, by the classifier: the mode alone, by its name."""

import asyncio
import logging
import secrets
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, create_model

from daemon.model.errors import LanguageModelError, SpentError
from daemon.model.language_models import Role
from daemon.models.barrier import Barrier, Block, Line
from daemon.models.calls import Calls, Prompt
from daemon.models.forms import one_of
from daemon.models.redaction import redact
from daemon.models.service import ModelService
from daemon.models.stopping import until_stopped
from daemon.ports import Stop
from daemon.store.model_calls import NoRecord

SECONDS = 2.0
_CLASSIFY = (
    "Somebody asks their own notes the question in line q1. Do not answer it. Choose how it has to"
    " be answered."
)
_TOKENS = 30
_log = logging.getLogger(__name__)


class Chosen(BaseModel):
    """The name of a mode."""

    model_config = ConfigDict(extra="forbid")

    mode: str


class Classifying:
    """Asks the classifier for at most so many seconds."""

    def __init__(self, service: ModelService, seconds: float = SECONDS) -> None:
        self._service, self._seconds = service, seconds

    def __call__(self, question: str, modes: Mapping[str, str], stop: Stop) -> str:
        """Return the name of one of the modes, of which each has a description.

        "" if the model fails, takes too long, or names none of them. Raises StoppedError.
        """
        try:
            return asyncio.run(until_stopped(self._asked(question, modes), stop))
        except (LanguageModelError, SpentError, TimeoutError) as error:
            _log.warning("A question was routed by rules: %s", error or "the model took too long")
            return ""

    @property
    def name(self) -> str:
        """The provider and the model, "" without a classifier."""
        return self._service.name(Role.CLASSIFIER)

    async def _asked(self, question: str, modes: Mapping[str, str]) -> str:
        kinds = "; ".join(f"`{name}`: {what}" for name, what in modes.items())
        lines = (Line("q1", redact(question).text),)
        instructions = f"{_CLASSIFY} `mode` is one of {kinds}."
        prompt = Prompt(Role.CLASSIFIER, instructions, "Which mode?", [Block("q", lines)], _TOKENS)
        form = create_model("Chosen", __base__=Chosen, mode=(one_of(modes), ...))
        barrier = Barrier(secrets.token_bytes(16))
        calls = Calls(self._service, NoRecord(), barrier, self._seconds)
        async with asyncio.timeout(self._seconds):
            found = await calls.ask(prompt, form, lambda _line: None)
        return str(found.mode)
