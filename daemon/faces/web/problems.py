"""Errors as RFC 9457 problems."""

from http import HTTPStatus
from typing import Literal

from pydantic import Field
from starlette.responses import Response

from daemon.usecases.document import Document

MEDIA_TYPE = "application/problem+json"


class BadRequestError(Exception):
    """A request that is refused before its use case gets it, with a status."""

    status = 400


ProblemType = Literal[
    "about:blank",
    "urn:lacuna:problem:not-found",
    "urn:lacuna:problem:refused",
    "urn:lacuna:problem:key-reused",
]
NOT_FOUND: ProblemType = "urn:lacuna:problem:not-found"
REFUSED: ProblemType = "urn:lacuna:problem:refused"


class Problem(Document):
    """Why a request was refused."""

    type: ProblemType = Field(
        default="about:blank",
        description="Kind of the problem. not-found: what the request names does not exist; "
        "refused: the use case refused it; key-reused: its idempotency key is that of another "
        "request; about:blank: the status says all.",
        examples=[NOT_FOUND],
    )
    title: str = Field(description="The status in words.", examples=["Not Found"])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(
        description="What is wrong, and what to do.", examples=["no finding has the id 7f3a"]
    )


def problem(
    status: int,
    detail: str,
    headers: dict[str, str] | None = None,
    *,
    kind: ProblemType = "about:blank",
) -> Response:
    """Return an error as a JSON object with its status, its title and one line about it."""
    title, why = HTTPStatus(status).phrase, detail.encode("utf-8", "replace").decode()
    body = Problem(type=kind, title=title, status=status, detail=why)
    return Response(body.model_dump_json(), status, headers=headers, media_type=MEDIA_TYPE)
