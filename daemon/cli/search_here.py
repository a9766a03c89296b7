"""What a search loads when no daemon answers at once: it finds another one, or does the work."""

from collections.abc import Callable
from typing import Any

from daemon.cli.options import Options
from daemon.cli.output import warn
from daemon.cli.session import reading, stoppable
from daemon.cli.web_search import run_web_search
from daemon.model.event import EVENT
from daemon.usecases.asking import AskRequest
from daemon.usecases.event_lines import lines_of, lines_of_steps
from daemon.usecases.following import follower
from daemon.usecases.place import state_of
from daemon.usecases.queries import QUERIES, keep_beside
from daemon.usecases.search import SearchRequest, search_promptly

__all__ = ["ask", "event_lines", "find", "run_web_search", "state_of"]


def find(options: Options, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Search in this process, after indexing the changes.

    They are embedded only for `like`, which words cannot answer.
    """
    asked = SearchRequest.model_validate(request)
    with reading(options, embed=asked.like is not None) as vault:
        found, remark = search_promptly(vault, asked)
    if remark:
        warn(remark)
    return found.as_json()


def ask(
    options: Options, request: dict[str, Any], show: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Answer in this process, after indexing the changes, but not embedding them."""
    asked = AskRequest.model_validate(request)
    with reading(options, embed=False) as vault, stoppable() as stop:
        following = follower(lambda event: show(event.model_dump(mode="json")), stop)
        document = QUERIES["ask"].carry_out(vault, asked, following)
        remark = keep_beside(vault, QUERIES["ask"], asked, document) if asked.thread else ""
    if remark:
        warn(remark)
    return dict(document.as_json())


def event_lines(event: dict[str, Any]) -> list[str]:
    """Return the lines that show an event."""
    found = EVENT.validate_python(event)
    return [*lines_of(found), *lines_of_steps(found)]
