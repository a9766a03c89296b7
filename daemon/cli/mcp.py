"""Serving the vault to assistants over the Model Context Protocol."""

from typing import Any

import click

from daemon.app import App
from daemon.cli.options import Options, common
from daemon.cli.output import warn
from daemon.cli.session import opened
from daemon.mcp_server.server import serve
from daemon.mcp_server.tools import Tool
from daemon.model.event import BaseEvent
from daemon.ports import Stop
from daemon.usecases import writer
from daemon.usecases.client import query as query_daemon
from daemon.usecases.command import Command
from daemon.usecases.document import Request


@click.command()
@click.option(
    "--allow-actions",
    is_flag=True,
    help="Also let the client plan and approve research, and decide on findings.",
)
@common
def mcp(options: Options, *, allow_actions: bool) -> None:
    """Serve the vault to an assistant over stdin and stdout (MCP).

    The assistant starts this command; see docs/mcp.md for its configuration. All tools only read,
    unless you give --allow-actions.
    """
    with opened(options, confined=True, makes_notes=allow_actions) as app:
        serve(Vault(app).answer, allow_actions=allow_actions)


class Vault:
    """Answers by the running daemon, or by this process."""

    def __init__(self, app: App) -> None:
        self._app = app

    def answer(self, tool: Tool, request: Request) -> Any:
        """Return JSON values. Raises LacunaError, VaultError."""
        stop, listener = Stop(), writer.Listener(_ignore, warn)
        if isinstance(tool.use, Command):
            return writer.ask(self._app, tool.use, request, stop, listener).as_json()
        found = query_daemon(self._app.state, tool.use.name, request.model_dump(mode="json"))
        if found is not None:
            return found
        warning = writer.refresh(self._app, stop, listener, embed=True, review=True)
        if warning:
            warn(warning)
        return tool.use.answer(self._app, request).as_json()


def _ignore(_event: BaseEvent) -> None:
    """The client sees the result; it asked for no progress."""
