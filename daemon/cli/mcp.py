"""Serving the vault to assistants over the Model Context Protocol."""

from functools import partial

import click

from daemon.cli.options import Options, common
from daemon.cli.output import warn
from daemon.cli.session import opened
from daemon.faces.mcp.server import serve
from daemon.usecases.assistants import AssistantLog
from daemon.usecases.invoke import invoke


@click.command()
@click.option(
    "--allow-actions",
    is_flag=True,
    help="Also let the client plan and approve research, and decide on findings.",
)
@common
def mcp(options: Options, *, allow_actions: bool) -> None:
    """Serve the vault to an assistant over stdin and stdout (MCP).

    The assistant starts this command; see docs/mcp.md for its configuration. All tools are
    read-only unless you pass --allow-actions.
    """
    with opened(options, confined=True, makes_notes=allow_actions) as app:
        serve(partial(invoke, app, warn), AssistantLog(app), allow_actions=allow_actions)
