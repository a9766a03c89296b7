"""Language models by provider and name, each asked in its provider's process."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from daemon.adapters.llm.process import ProviderProcess
from daemon.model.encodable import encodable, is_encodable
from daemon.model.errors import (
    ContextTooLongError,
    DeclinedError,
    InvalidReplyError,
    KeyRefusedError,
    LanguageModelError,
    ModelUnavailableError,
    OverloadedError,
    RateLimitError,
    RejectedCallError,
    UnknownModelError,
    UnreachableModelError,
)
from daemon.model.language_models import ModelCall, OfferedModel, Reply, Usage, json_schema

_LIST_SECONDS = 20.0
_MAX_TOKENS = 1_000_000_000  # that a call is taken to have had, whatever a provider counts
_MAX_NAME = 200  # characters
# A name is shown in commands to be copied: it has nothing that a shell or a terminal obeys.
_MAX_SAID = 300  # characters of what a provider said
_MAX_WAIT = 86_400.0  # seconds
_CUT = ": raise models.writer_tokens or models.reader_tokens, or choose a model that does not think"
_OTHER_FORM = "does not have the requested form: choose a larger model if this repeats"
_NAME = re.compile(rf"[\w./:@+-]{{1,{_MAX_NAME}}}")
_LINES: dict[str, tuple[type[LanguageModelError], str]] = {
    "key": (
        KeyRefusedError,
        "{provider} did not accept the key ({said}): set it with `lacuna secrets set {provider}`",
    ),
    "context": (
        ContextTooLongError,
        "the prompt is too long for {provider}/{model} ({said}): choose a model with more context",
    ),
    "overloaded": (OverloadedError, "{provider} is overloaded ({said}): try again later"),
    "declined": (
        DeclinedError,
        "{provider}/{model} declined to answer ({said}): choose another model if this repeats",
    ),
    "model": (UnknownModelError, "{provider} has no model “{model}”"),
    "request": (
        RejectedCallError,
        "{provider} rejected the request ({said}): check it with `lacuna models test`",
    ),
    "unreachable": (
        UnreachableModelError,
        "{provider} cannot be reached at {said}: start it, or check its address and the network",
    ),
    "unavailable": (
        ModelUnavailableError,
        "{provider} cannot be used ({said}): check it with `lacuna models test`",
    ),
}
_UNUSABLE = (
    InvalidReplyError,
    "{provider} gave no usable answer ({said}): choose another model if this repeats",
)


class ChildLanguageModel:
    """A model of one provider. `provider` is the name in the settings."""

    def __init__(self, provider: str, model: str, process: ProviderProcess) -> None:
        self._provider = provider
        self._model = model
        self._process = process

    @property
    def name(self) -> str:
        return f"{self._provider}/{self._model}"

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        answer = await self._process.request(
            {
                "model": self._model,
                "system": call.system,
                "user": call.user,
                "schema": json_schema(call),
                "max_tokens": call.max_tokens,
                "temperature": call.temperature,
                "stream": on_text is not None,
            },
            on_text or _ignore,
            call.seconds,
        )
        if "error" in answer:
            raise await self._error(answer["error"])
        return self._reply(call, answer["done"])

    def _reply(self, call: ModelCall, done: dict[str, Any]) -> Reply:
        usage = Usage(_number(done.get("input_tokens")), _number(done.get("output_tokens")))
        text = encodable(str(done.get("text", "")))
        reply = Reply(text, usage, str(done.get("model", self._model))[:_MAX_NAME])
        if not is_encodable(str(done.get("text", ""))):
            raise InvalidReplyError(f"the answer of {self.name} has broken characters", reply)
        is_cut = done.get("finish") == "length"
        if not text.strip() and not is_cut:
            raise DeclinedError(f"{self.name} answered nothing: choose another model", reply)
        if call.schema is None and text.strip():
            return reply
        try:
            value = call.schema.model_validate_json(object_in(text)) if call.schema else None
        except ValidationError:
            value = None
        if value is None:
            why = f"was cut off at {call.max_tokens} tokens{_CUT}" if is_cut else _OTHER_FORM
            raise InvalidReplyError(f"the answer of {self.name} {why}", reply)
        return replace(reply, value=value)

    async def _error(self, failure: dict[str, Any]) -> LanguageModelError:
        kind, message = str(failure.get("kind")), str(failure.get("message", ""))
        if kind == "model":
            return UnknownModelError(await self._unknown())
        if kind == "unreachable":
            message = self._process.address
        wait = _seconds(failure.get("retry_after"))
        return error_of(kind, message, wait, self._provider, self._model)

    async def _unknown(self) -> str:
        """Return the error for an unknown model, with similar names."""
        text = f"{self._provider} has no model “{self._model}”"
        try:
            offered = await offered_models(self._provider, self._process)
        except LanguageModelError:
            return text
        names = [each.name for each in offered]
        close = get_close_matches(self._model, names, n=1, cutoff=0.4)
        if close:
            return f"{text}: did you mean “{close[0]}”?"
        return f"{text}: it offers {', '.join(names[:5])}" if names else text


async def offered_models(provider: str, process: ProviderProcess) -> list[OfferedModel]:
    """Return the models that a provider offers, by name. Raises LanguageModelError."""
    try:
        async with asyncio.timeout(_LIST_SECONDS):
            answer = await process.request({"list": True}, _ignore, _LIST_SECONDS)
    except TimeoutError:
        raise ModelUnavailableError(f"{provider} did not list its models in time") from None
    if "error" in answer:
        failure = answer["error"]
        kind, message = str(failure.get("kind")), str(failure.get("message", ""))
        said = process.address if kind == "unreachable" else message
        raise error_of(kind, said, None, provider, "")
    offered = (OfferedModel(**each) for each in answer["done"]["models"])
    return sorted((each for each in offered if _NAME.fullmatch(each.name)), key=_name)


def error_of(
    kind: str, message: str, retry_after: float | None, provider: str, model: str
) -> LanguageModelError:
    """Return the typed error of a failure: what happened, why, what to do."""
    message = "".join(filter(str.isprintable, message))[:_MAX_SAID].rstrip(".")
    if kind == "limit":
        wait = f"try again in {retry_after:.0f} s" if retry_after else "try again later"
        return RateLimitError(f"{provider} limits requests ({message}): {wait}", retry_after)
    type_, line = _LINES.get(kind, _UNUSABLE)
    return type_(line.format(provider=provider, model=model, said=message))


def object_in(text: str) -> str:
    """Return the JSON object in a text, without what a model wrote around it."""
    start, end = text.find("{"), text.rfind("}")
    found = text[start : end + 1] if 0 <= start < end else text
    try:
        json.loads(found)
    except (ValueError, RecursionError):
        return text
    return found


def _name(model: OfferedModel) -> str:
    return model.name


def _ignore(_text: str) -> None:
    """Stream to nobody."""


def _seconds(value: object) -> float | None:
    """Return how long to wait, None where that makes no sense."""
    if isinstance(value, int | float) and 0 <= value <= _MAX_WAIT:
        return float(value)
    return None


def _number(value: object) -> int:
    return min(value, _MAX_TOKENS) if isinstance(value, int) and value >= 0 else 0
