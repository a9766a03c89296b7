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


class Problem(Document):
    """Why a request was refused."""

    type: Literal["about:blank"] = Field(default="about:blank", description="Kind of the problem.")
    title: str = Field(description="The status in words.", examples=["Not Found"])
    status: int = Field(description="The HTTP status.", examples=[404])
    detail: str = Field(
        description="What is wrong, and what to do.", examples=["no finding has the id 7f3a"]
    )


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    """Return an error as a JSON object with its status, its title and one line about it."""
    title = HTTPStatus(status).phrase
    body = Problem(title=title, status=status, detail=detail.encode("utf-8", "replace").decode())
    return Response(body.model_dump_json(), status, headers=headers, media_type=MEDIA_TYPE)
