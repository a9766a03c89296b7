"""Bodies of requests, of limited size and in limited time."""

from typing import TypeVar

import anyio
from pydantic import BaseModel
from starlette.requests import Request

MAX_BATCH, MAX_QUERY = 64_000_000, 100_000  # bytes
_SECONDS = 60.0

B = TypeVar("B", bound=BaseModel)


class TooLargeError(Exception):
    """A body that is longer than it may be."""


async def body(request: Request, model: type[B], most: int) -> B:
    """Read a body of limited size in limited time, and check it."""
    return model.model_validate_json(await short_body(request, most))


async def short_body(request: Request, most: int) -> bytes:
    """Read a body of limited size in limited time. Raises TooLargeError, TimeoutError."""
    read = bytearray()
    try:
        with anyio.fail_after(_SECONDS):
            async for piece in request.stream():
                read += piece
                if len(read) > most:
                    raise TooLargeError("the request is too large")
    except TimeoutError:
        raise TimeoutError("the request did not arrive in time") from None
    return bytes(read)
