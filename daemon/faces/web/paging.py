"""Pages of lists: a cursor says after which item the next page begins.

It names the item and not only its place, so that what is added before it moves nothing.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from pydantic import Field, ValidationError

from daemon.faces.web.problems import BadRequestError
from daemon.usecases.document import Request

MAX_PAGE = 500
_NAMES = ("id", "run", "path", "name")  # what names an item, in this order


class Page(Request):
    """Which part of a list to return. Without it, a list comes whole."""

    page_size: int | None = Field(
        default=None,
        ge=1,
        le=MAX_PAGE,
        description="Items of a page. Default: all.",
        examples=[50],
    )
    cursor: str | None = Field(
        default=None,
        max_length=200,
        pattern="^[A-Za-z0-9_-]+$",
        description="Continue after this place, which the header `Link` of the last page contains.",
        examples=["eyJhdCI6IDUwLCAiaXRlbSI6ICI3ZjNhIn0"],
    )


class CursorError(BadRequestError):
    """A cursor that this server did not make."""

    status = 404


class _Place(Request):
    at: int = Field(ge=0)
    item: str


def page_of(items: Sequence[Any], page: Page) -> tuple[Sequence[Any], str | None]:
    """Return a page of a list, and the cursor of the next one, if there is one.

    Raises CursorError.
    """
    start = _start(items, page.cursor) if page.cursor else 0
    end = start + (page.page_size or len(items))
    part = items[start:end]
    if end >= len(items) or not part:
        return part, None
    place = json.dumps({"at": end, "item": _name(part[-1])})
    return part, urlsafe_b64encode(place.encode()).decode().rstrip("=")


def _start(items: Sequence[Any], cursor: str) -> int:
    """Return where the page after a cursor begins, also when items came or went before it."""
    try:
        text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        place = _Place.model_validate_json(text, strict=True)
    except (ValueError, ValidationError):
        raise CursorError("cursor: it is not one of this server") from None
    before = min(place.at, len(items))
    if before and _name(items[before - 1]) == place.item:
        return before
    found = (number for number, item in enumerate(items, 1) if _name(item) == place.item)
    return next(found, before)


def _name(item: Any) -> str:
    named = next((str(item[key]) for key in _NAMES if key in item), "") if item else ""
    text = named or json.dumps(item, sort_keys=True)
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
