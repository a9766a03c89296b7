"""What a search loads when no daemon answers at once: it finds another one, or does the work."""

from typing import Any

from daemon.cli.options import Options
from daemon.cli.session import reading
from daemon.cli.web_search import run_web_search
from daemon.usecases import asking
from daemon.usecases.asking import AskRequest
from daemon.usecases.place import state_of
from daemon.usecases.search import SearchRequest, search

__all__ = ["ask", "find", "run_web_search", "state_of"]


def find(options: Options, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Search in this process, after indexing the changes."""
    with reading(options) as vault:
        return search(vault, SearchRequest.model_validate(request)).as_json()


def ask(options: Options, request: dict[str, Any]) -> dict[str, Any]:
    """Answer in this process, after indexing the changes."""
    with reading(options) as vault:
        return asking.ask(vault, AskRequest.model_validate(request)).as_json()
