"""The kinds of errors of a call to a model that the daemon distinguishes."""

import re
from typing import Any

import httpx2

_MAX_LENGTH = 300  # characters of what a provider said
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|size)|prompt is too long|maximum context|too many tokens"
    r"|exceeds? the (?:available )?context|input.{0,30}too long"
    r"|max(?:imum)?.{0,12}(?:input )?tokens",
    re.IGNORECASE | re.DOTALL,
)
_NO_FIELD = re.compile(r"extra_forbidden|extra inputs|unsupported parameter", re.IGNORECASE)
# OpenRouter, Mistral and DeepSeek answer 400 to a wrong model.
_NO_MODEL = re.compile(
    r"\b(?:invalid|unknown|unsupported) model\b|not a valid model|\bmodel\b.{0,80}"
    r"(?:\bnot exist|\bnot found|\bis not available)",
    re.IGNORECASE | re.DOTALL,
)
_FILTERED = re.compile(
    r"content management policy|content.?filter|requires moderation|input was flagged",
    re.IGNORECASE,
)
_KEY = re.compile(r"api.?key|credential|unauthori[sz]ed|authentication", re.IGNORECASE)
_BAD_REQUEST, _FORBIDDEN, _SERVER = 400, 403, 500
_STATUSES = {
    401: "key",
    402: "limit",
    403: "key",
    404: "model",
    408: "unavailable",
    413: "context",
    429: "limit",
    503: "overloaded",
    529: "overloaded",
}


class CallFailedError(Exception):
    """A call failed. `kind` is `key`, `limit`, `context`, `overloaded`, `declined`, `model`,

    `request` (refused for another reason), `unreachable` (nothing was sent), `unavailable` or
    `reply`; `retry_after` is in seconds, None when the provider did not say.
    """

    def __init__(self, kind: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


INTERRUPTED = CallFailedError("unavailable", "the answer broke off")
TOO_LONG = CallFailedError("reply", "the answer is too long")
DECLINED = CallFailedError("declined", "the provider's filter ended the answer")
CALLS_TOOL = CallFailedError("reply", "the answer calls a tool, and none was offered")


def failure_of(error: BaseException) -> dict[str, Any]:
    """Return the kind of a failure, what was said, and how long to wait."""
    match error:
        case CallFailedError():
            kind, message = error.kind, str(error)
        case TimeoutError():
            kind, message = "unavailable", "the deadline passed"
        case httpx2.HTTPStatusError():
            message = str(error)
            kind = kind_of_status(error.response.status_code, error.response.text)
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            kind, message = "unreachable", str(error) or type(error).__name__
        case httpx2.TransportError():
            kind, message = "unavailable", str(error) or type(error).__name__
        case _:
            kind, message = "reply", str(error) or type(error).__name__
    return {
        "kind": kind,
        "message": " ".join(message.split())[:_MAX_LENGTH],
        "retry_after": getattr(error, "retry_after", None),
    }


def kind_of_status(status: int, message: str) -> str:
    """Return the kind of an HTTP status that is an error, with what was said."""
    if _TOO_LONG.search(message) and not _NO_FIELD.search(message):
        return "context"
    if status in (_BAD_REQUEST, _FORBIDDEN) and _FILTERED.search(message):
        return "declined"
    if status == _BAD_REQUEST and _KEY.search(message):
        return "key"  # Gemini and xAI answer 400 to a wrong key
    if status == _BAD_REQUEST and _NO_MODEL.search(message):
        return "model"
    return _STATUSES.get(status, "unavailable" if status >= _SERVER else "request")


def is_unreached(error: BaseException) -> bool:
    """Return whether an error, or what caused it, is that there was no connection."""
    at: BaseException | None = error
    while at is not None and not isinstance(at, httpx2.ConnectError | httpx2.ConnectTimeout):
        at = at.__cause__ or at.__context__
    return at is not None
