"""Errors as RFC 9457 problems."""

import json
from http import HTTPStatus

from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    """Return an error as a JSON object with its status, its title and one line about it."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    text = json.dumps(body, ensure_ascii=False)
    return Response(text, status, headers=headers, media_type=MEDIA_TYPE)
