"""Search or answer when no daemon is known to: find its state folder, or do it in this process."""

import os
from pathlib import Path
from typing import Any

from daemon.cli.options import Options
from daemon.cli.session import reading
from daemon.cli.web_search import run_web_search
from daemon.usecases import asking
from daemon.usecases.asking import AskRequest
from daemon.usecases.client import query
from daemon.usecases.place import state_of
from daemon.usecases.search import SearchRequest, search
from daemon.usecases.state_places import remember

__all__ = ["ask", "find", "query_daemon", "run_web_search"]


def query_daemon(
    options: Options, name: str, request: dict[str, Any], *, asked: Path | None
) -> Any:
    """Return the JSON of a query from a daemon that was not asked before; None if none answers.

    `asked` is the state folder whose daemon did not answer.
    """
    state = state_of(options)
    if asked is not None:
        return None
    found = query(state, name, request)
    if found is not None:
        remember(state, options.vault, options.config, options.state, os.environ)
    return found


def find(options: Options, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Search in this process, after indexing the changes."""
    with reading(options) as vault:
        return search(vault, SearchRequest.model_validate(request)).as_json()


def ask(options: Options, request: dict[str, Any]) -> dict[str, Any]:
    """Answer in this process, after indexing the changes."""
    with reading(options) as vault:
        return asking.ask(vault, AskRequest.model_validate(request)).as_json()
