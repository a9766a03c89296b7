"""From an HTTP answer, or the lack of one, to a status in one line of words."""

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

LARGEST = 10_000_000  # bytes of JSON: parsed, they take up to thirty times as much memory
_TAG = re.compile(r"<[^<>]{0,200}>")
_BY_THE_QUESTION = frozenset({400, 404, 413, 414, 422, 451})
_MAY_PASS = frozenset({429, 500, 502, 503, 504})
_WORDS = {
    301: "has moved; its new address belongs in `url`",
    308: "has moved; its new address belongs in `url`",
    400: "did not accept the question",
    401: "did not accept the key",
    402: "wants to be paid first",
    403: "refuses the request",
    404: "has no such address",
    410: "is no longer there",
    414: "found the question too long",
    413: "found the question too long",
    422: "did not accept the question or the key",
    429: "has had too many requests",
    451: "may not give this",
    432: "has used up its plan",
    433: "has used up what may be spent",
}


class Blame(Enum):
    """Whose trouble it is: only the source's own is held against it."""

    SOURCE = "source"
    QUESTION = "question"
    NOBODY = "nobody"


@dataclass(eq=False)  # not frozen: Python sets the traceback of what passes a `with`
class TroubleError(Exception):
    """The source cannot answer, or not in full; `why` is one line for the user.

    `may_pass` when asking again soon may help; `after` is how many seconds the source asks to be
    left alone, or None.
    """

    status: SourceStatus
    why: str
    blame: Blame = Blame.SOURCE
    may_pass: bool = False
    after: float | None = None
    http: int | None = None  # the status that it came with, if one came


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
    """Send `body` as JSON and take the answer. Raises TroubleError for anything but HTTP 200."""
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
    """What it means for a source that no answer came."""
    match error:
        case SlowError():
            return unavailable(f"no answer in time ({error})")
        case OfflineError():
            return unavailable(NO_NETWORK, Blame.NOBODY)
        case SpentError():
            return unavailable(str(error), Blame.NOBODY)
        case _:
            return unavailable(f"cannot be reached ({error})")


def refused(fetched: Fetched) -> TroubleError:
    """What an HTTP status other than 200 means for a source."""
    status = fetched.status
    return TroubleError(
        SourceStatus.UNAVAILABLE,
        in_words(fetched),
        Blame.QUESTION if status in _BY_THE_QUESTION else Blame.SOURCE,
        may_pass=status in _MAY_PASS,
        after=_after(fetched),
        http=status,
    )


def _after(fetched: Fetched) -> float | None:
    """The seconds that Retry-After asks to wait, written as a number or as a date."""
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
    """Parse an answer that is a JSON object. Raises TroubleError for whatever is none, or says
    that it is an error."""
    body = parsed(fetched)
    if not isinstance(body, dict):
        raise unavailable("the answer is not in the form it should have")
    if error := body.get("error") or body.get("errors") or body.get("errCode"):
        raise unavailable(f"reports an error: {_error(body.get('errMsg') or error)}")
    return body


def parsed(fetched: Fetched) -> Any:
    """Parse JSON. Raises TroubleError for web pages, and for what is too large or cut short."""
    if looks_like_html(fetched):
        raise unavailable("answered with a web page where data should be")
    if len(fetched.body) > LARGEST:
        raise unavailable(f"the answer is larger than {LARGEST / 1e6:g} MB")
    try:
        return json.loads(fetched.body)
    except (ValueError, RecursionError):
        raise unavailable("the answer is not whole (not valid JSON)") from None


def records(body: Mapping[str, Any], *path: str) -> list[dict[str, Any]]:
    """The list of records at `path`. Raises TroubleError when there is no list."""
    here: Any = body
    for key in path:
        here = here.get(key) if isinstance(here, dict) else None
    if not isinstance(here, list):
        raise unavailable("the answer is not in the form it should have")
    return [record for record in here if isinstance(record, dict)]


def _error(error: object) -> str:
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict):
        error = error.get("detail") or error.get("message") or error.get("code")
    return plain(str(error))[:200]


def in_words(fetched: Fetched) -> str:
    """Say what an HTTP status means for the user, with the wait that was asked for."""
    status = fetched.status
    what = _WORDS.get(status, "has trouble of its own" if status >= 500 else "gave no answer")
    after = fetched.headers.get("retry-after", "").strip()[:40]
    wait = f", asks to wait {after} s" if after.isdigit() else ""
    return f"{what} (HTTP {status}{wait})"


def looks_like_html(fetched: Fetched) -> bool:
    """Whether a web page came where data should have: a captcha, a login, a proxy's error."""
    start = fetched.body[:300].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html")) or fetched.content_type == "text/html"


def plain(text: object) -> str:
    """One line of plain text from a value that may hold tags and entities, or be no text."""
    if not isinstance(text, str):
        return ""
    return " ".join(html.unescape(_TAG.sub("", text)).split())
