"""Calls of language models by role: kept answers first, then budgets, a slot, and the model."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from daemon.model.errors import (
    ContextTooLongError,
    LanguageModelError,
    ModelUnavailableError,
    RateLimitError,
)
from daemon.model.language_models import ModelCall, Reply, Role, Usage
from daemon.model.spending import Amounts, Cap, Measure, Sending
from daemon.models.limits import Lanes
from daemon.models.live import Live
from daemon.models.loop_thread import LoopThread
from daemon.models.prompt_tokens import tokens_in
from daemon.ports import LanguageModel
from daemon.store.ledger import Ledger
from daemon.store.model_calls import call_key

_MAX_WAIT = 30.0  # seconds that a rate limit may ask for without the call being given up
_SLACK_SECONDS = 10.0  # after a call's own deadline
OnEvent = Callable[[str], None]  # one line for observers


class Record(Protocol):
    """Storage for answers that are used again."""

    def get(self, key: str, call: ModelCall) -> Reply | None: ...

    def keep(self, key: str, role: Role, call: ModelCall, reply: Reply) -> None: ...

    def keep_notes(self, reader: int, finding: str, title: str, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class RoleModel:
    """The model of a role. `prices` are millionths of a dollar per million tokens in and out.

    `context` is how many tokens it reads and writes at most, 0 when unknown; `host` is who gets the
    text. Several providers may be one `server`, "" for the provider's own.
    """

    model: LanguageModel
    provider: str
    prices: tuple[int, int] = (0, 0)
    context: int = 0
    caps: Sequence[Cap] = ()
    host: str = ""
    server: str = ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call with its row in the ledger, and the estimated tokens of its prompt."""

    role: Role
    call: ModelCall
    row: int
    sent: int


class ModelService:
    """All calls of a daemon. `close_models` ends the processes of the providers."""

    def __init__(
        self,
        roles: Mapping[Role, RoleModel],
        ledger: Ledger,
        lanes: Lanes | None = None,
        close_models: Callable[[], Awaitable[None]] | None = None,
        thread: LoopThread | None = None,
    ) -> None:
        self._roles = roles
        self._ledger = ledger
        self._lanes = lanes or Lanes()
        self._thread = thread or LoopThread()
        self._close_models = close_models

    def name(self, role: Role) -> str:
        """Return the provider and model of a role, "" when it has none."""
        return self._roles[role].model.name if role in self._roles else ""

    async def ask(
        self,
        role: Role,
        call: ModelCall,
        record: Record,
        *,
        on_event: OnEvent = lambda _line: None,
        on_text: Callable[[str], None] | None = None,
        spare: int = 0,
    ) -> Reply:
        """Answer a call, from the record where it was answered before.

        Raises SpentError before anything is sent when a budget does not allow it and `spare` more
        tokens, and LanguageModelError.
        """
        chosen = self._roles[role]
        key = call_key(chosen.model.name, call)
        if (kept := record.get(key, call)) is not None:
            return kept
        sent = estimate(call)
        _check_context(chosen, sent, call)
        id_ = self._reserve(role, chosen, sent, call, spare)
        live = Live(f"{role} ({chosen.model.name})", on_event, on_text)
        try:
            reply = await self._thread.run(self._in_lane(role, chosen, call, live))
        except asyncio.CancelledError:
            if not live.has_begun:
                self._ledger.release(id_)
            raise  # what was read and written by then is paid for: the estimate stands
        except LanguageModelError as error:
            on_event(f"{role} failed: {error}")
            if error.reply is not None:  # it is paid for, and not asked again
                self._keep(key, _Asked(role, call, id_, sent), error.reply, record)
            elif not error.is_paid:
                self._ledger.release(id_)
            raise
        self._keep(key, _Asked(role, call, id_, sent), reply, record)
        return reply

    def _keep(self, key: str, asked: "_Asked", reply: Reply, record: Record) -> None:
        """Settle what an answer took, and keep it."""
        chosen, took = self._roles[asked.role], reply.usage
        usage = Usage(took.input_tokens or asked.sent, took.output_tokens or tokens_in(reply.text))
        self._ledger.settle_tokens(asked.row, usage.total, _cost(chosen, usage))
        record.keep(key, asked.role, asked.call, reply)

    async def close(self) -> None:
        """End the processes of the providers, and this service's thread."""
        if self._close_models is not None:
            await self._thread.run(_ignore_errors(self._close_models))
        self._thread.close()

    def _reserve(
        self, role: Role, chosen: RoleModel, sent: int, call: ModelCall, spare: int
    ) -> int:
        most = Usage(sent, call.max_tokens)
        amounts = Amounts(requests=1, tokens=most.total, money=_cost(chosen, most))
        what = f"{role}: {len(call.system) + len(call.user)} characters to {chosen.model.name}"
        host = chosen.host or chosen.provider
        sending = Sending(chosen.provider, "model", host, what, amounts=amounts)
        caps = [_less(each, spare) for each in chosen.caps]
        return self._ledger.reserve(sending, caps)[0]

    async def _in_lane(
        self,
        role: Role,
        chosen: RoleModel,
        call: ModelCall,
        live: Live,
    ) -> Reply:
        for is_last in (False, True):
            async with self._lanes.slot(
                chosen.server or chosen.provider,
                is_heavy=role.is_heavy,
                on_state=live.queued,
            ):
                try:
                    async with asyncio.timeout(call.seconds + _SLACK_SECONDS), live.watched():
                        reply = await chosen.model.ask(call, live.text if live.streams else None)
                        live.ended(reply.usage)
                        return reply
                except TimeoutError:
                    raise ModelUnavailableError(
                        f"{chosen.model.name} did not answer within {call.seconds:g} s"
                    ) from None
                except RateLimitError as error:
                    wait = error.retry_after
                    if is_last or wait is None or wait > _MAX_WAIT:
                        raise
            live.waits(wait)
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")


def _less(cap: Cap, tokens: int) -> Cap:
    is_of_tokens = cap.measure is Measure.TOKENS
    return replace(cap, kept=tokens) if is_of_tokens else cap


def estimate(call: ModelCall) -> int:
    """Return at least how many tokens the prompt of a call has."""
    schema = str(call.schema.model_json_schema()) if call.schema is not None else ""
    return tokens_in(f"{call.system}{call.user}{schema}") + 1


def _check_context(chosen: RoleModel, sent: int, call: ModelCall) -> None:
    needed = sent + call.max_tokens
    if chosen.context and needed > chosen.context:
        raise ContextTooLongError(
            f"{chosen.model.name} is too small for this prompt: it needs about {needed} tokens of"
            f" {chosen.context}; choose a model with a larger context"
        )


def _cost(chosen: RoleModel, usage: Usage) -> int:
    """Return millionths of a dollar, rounded up."""
    one, other = chosen.prices
    return -(-(usage.input_tokens * one + usage.output_tokens * other) // 1_000_000)


async def _ignore_errors(close: Callable[[], Awaitable[Any]]) -> None:
    await close()
