"""Map an HTTP answer, or the lack of one, to a status in one line."""

import html
import json
import re
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

from daemon.model.errors import FetchError, OfflineError, SlowError, SpentError
from daemon.model.evidence import NO_NETWORK, SourceStatus
from daemon.ports import Fetched, Fetcher

MAX_REPLY_BYTES = 10_000_000  # bytes of JSON: parsed, they take up to thirty times as much memory
_TAG = re.compile(r"<[^<>]{0,200}>")
_BY_THE_QUESTION = frozenset({400, 404, 413, 414, 422, 451})
_TRANSIENT = frozenset({429, 500, 502, 503, 504})
_WORDS = {
    301: "has moved; its new address belongs in `url`",
    308: "has moved; its new address belongs in `url`",
    400: "did not accept the query",
    401: "did not accept the key",
    402: "requires payment",
    403: "refuses the request",
    404: "has no such address",
    410: "is no longer there",
    414: "found the query too long",
    413: "found the query too long",
    422: "did not accept the query or the key",
    429: "received too many requests",
    451: "may not return this for legal reasons",
    432: "has used up its plan",
    433: "has used up its budget",
}


class Blame(Enum):
    """Whose fault it is: only the source's own failures count against it."""

    SOURCE = "source"
    QUESTION = "question"
    NOBODY = "nobody"


@dataclass(eq=False)  # not frozen: Python sets the traceback of an exception that passes a `with`
class TroubleError(Exception):
    """The source cannot answer, or not in full; `why` is one line for the user.

    `is_transient` if a retry may help; `retry_after` is the pause in seconds that the source asks
    for, or None.
    """

    status: SourceStatus
    why: str
    blame: Blame = Blame.SOURCE
    is_transient: bool = False
    retry_after: float | None = None
    http: int | None = None  # the HTTP status, if any


def unavailable(why: str, blame: Blame = Blame.SOURCE) -> TroubleError:
    return TroubleError(SourceStatus.UNAVAILABLE, why, blame)


async def ask(
    fetcher: Fetcher, url: str, params: Mapping[str, str], headers: Mapping[str, str]
) -> Fetched:
    """Fetch an API's answer. Raises TroubleError for anything but HTTP 200."""
    return await _checked(fetcher.get(url, params=params, headers=headers))


async def send(
    fetcher: Fetcher, url: str, body: Mapping[str, object], headers: Mapping[str, str]
) -> Fetched:
    """Send `body` as JSON and return the answer. Raises TroubleError for anything but HTTP 200."""
    return await _checked(fetcher.post(url, body=body, headers=headers))


async def _checked(fetching: Awaitable[Fetched]) -> Fetched:
    try:
        fetched = await fetching
    except FetchError as error:
        raise unreached(error) from None
    if fetched.status != 200:
        raise refused(fetched)
    return fetched


def unreached(error: FetchError) -> TroubleError:
    """Return the trouble of a source that did not answer."""
    match error:
        case SlowError():
            return unavailable(f"no answer in time ({error})")
        case OfflineError():
            return unavailable(NO_NETWORK, Blame.NOBODY)
        case SpentError():
            return unavailable(str(error), Blame.NOBODY)
        case _:
            return unavailable(f"could not be reached ({error})")


def refused(fetched: Fetched) -> TroubleError:
    """Return the trouble of a source for an HTTP status other than 200."""
    status = fetched.status
    return TroubleError(
        SourceStatus.UNAVAILABLE,
        error_line(fetched),
        Blame.QUESTION if status in _BY_THE_QUESTION else Blame.SOURCE,
        is_transient=status in _TRANSIENT,
        retry_after=_after(fetched),
        http=status,
    )


def _after(fetched: Fetched) -> float | None:
    """Return the seconds in Retry-After, written as a number or as a date."""
    text = fetched.headers.get("retry-after", "").strip()[:40]
    if text.isdigit():
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - fetched.fetched_at).total_seconds())


def data(fetched: Fetched) -> dict[str, Any]:
    """Parse an answer that is a JSON object. Raises TroubleError for anything else, or an error
    message.
    """
    body = parsed(fetched)
    if not isinstance(body, dict):
        raise unavailable("the answer does not have the expected form")
    if error := body.get("error") or body.get("errors") or body.get("errCode"):
        raise unavailable(f"reports an error: {_error(body.get('errMsg') or error)}")
    return body


def parsed(fetched: Fetched) -> Any:
    """Parse JSON. Raises TroubleError for web pages, and for oversized or truncated data."""
    if looks_like_html(fetched):
        raise unavailable("answered with a web page instead of data")
    if len(fetched.body) > MAX_REPLY_BYTES:
        raise unavailable(f"the answer is larger than {MAX_REPLY_BYTES / 1e6:g} MB")
    try:
        return json.loads(fetched.body)
    except (ValueError, RecursionError):
        raise unavailable("the answer is incomplete (not valid JSON)") from None


def records(body: Mapping[str, Any], *path: str) -> list[dict[str, Any]]:
    """Return the list of records at `path`. Raises TroubleError if there is none."""
    here: Any = body
    for key in path:
        here = here.get(key) if isinstance(here, dict) else None
    if not isinstance(here, list):
        raise unavailable("the answer does not have the expected form")
    return [record for record in here if isinstance(record, dict)]


def _error(error: object) -> str:
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict):
        error = error.get("detail") or error.get("message") or error.get("code")
    return plain(str(error))[:200]


def error_line(fetched: Fetched) -> str:
    """Describe an HTTP status for the user, with the requested wait."""
    status = fetched.status
    what = _WORDS.get(status, "has a server error" if status >= 500 else "gave no answer")
    after = fetched.headers.get("retry-after", "").strip()[:40]
    wait = f", asks to wait {after} s" if after.isdigit() else ""
    return f"{what} (HTTP {status}{wait})"


def looks_like_html(fetched: Fetched) -> bool:
    """Return whether a web page came instead of data: a captcha, a login, a proxy's error."""
    start = fetched.body[:300].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html")) or fetched.content_type == "text/html"


def plain(text: object) -> str:
    """Return one line of plain text from a value that may contain tags and entities, or be no
    text.
    """
    if not isinstance(text, str):
        return ""
    return " ".join(html.unescape(_TAG.sub("", text)).split())
