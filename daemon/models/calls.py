"""The calls of one run: prompts behind the barrier, answers kept in its folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from daemon.model.language_models import ModelCall, Role
from daemon.models.barrier import Barrier, Block, clean
from daemon.models.redaction import redact
from daemon.models.service import ModelService, OnEvent, Record, estimate

Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a role is asked: instructions, a question and the text of sources.

    `tokens` is the most that the answer may have.
    """

    role: Role
    instructions: str
    question: str
    blocks: Sequence[Block]
    tokens: int


@dataclass(frozen=True, slots=True)
class Calls:
    """Asks the models of a run; `seconds` is the deadline of one call."""

    service: ModelService
    record: Record
    barrier: Barrier
    seconds: float

    async def ask(
        self,
        prompt: Prompt,
        form: type[Form],
        on_event: OnEvent,
        *,
        on_text: Callable[[str], None] | None = None,
        spare: int = 0,
    ) -> Form:
        """Return an answer of a form. `spare` tokens of each budget must be left after it.

        Raises SpentError before anything is sent, and LanguageModelError.
        """
        reply = await self.service.ask(
            prompt.role,
            self._call(prompt, form),
            self.record,
            on_event=on_event,
            on_text=on_text,
            spare=spare,
        )
        assert isinstance(reply.value, form)  # noqa: S101 - by its schema
        return reply.value

    def tokens(self, prompt: Prompt, form: type[BaseModel]) -> int:
        """Estimate the tokens of a call with its answer, rather too many."""
        return estimate(self._call(prompt, form)) + prompt.tokens

    def _call(self, prompt: Prompt, form: type[BaseModel]) -> ModelCall:
        system = self.barrier.system(prompt.instructions)
        question = redact(clean(prompt.question)).text
        user = self.barrier.user(question, prompt.blocks)
        return ModelCall(system, user, form, prompt.tokens, self.seconds)
