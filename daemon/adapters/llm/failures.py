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
_KEY = re.compile(r"api.?key|credential|unauthori[sz]ed|authentication", re.IGNORECASE)
_REFUSED, _SERVER = 400, 500
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

    `unavailable` or `reply`; `retry_after` is in seconds, None when the provider did not say.
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
    if _TOO_LONG.search(message):
        return "context"
    if status == _REFUSED and _KEY.search(message):
        return "key"  # Gemini and xAI answer 400 to a wrong key
    return _STATUSES.get(status, "unavailable" if status >= _SERVER else "reply")
