"""An example for each command whose own help has none. Shown at the end of its help."""

from collections.abc import Mapping
from copy import copy
from inspect import cleandoc

import click

# The command, and what follows its name.
EXAMPLES: Mapping[str, str] = {
    "init": "~/Notes --library ~/Papers",
    "run": "--config ~/lacuna.toml",
    "status": "--follow",
    "index": "",
    "health": "--json",
    "graph": "--json",
    "eval": "--share 0.1",
    "agenda new": '--note "Sourdough"',
    "agenda show": "a-1f0c",
    "agenda approve": "a-1f0c",
    "agenda cancel": "a-1f0c",
    "schedule list": "",
    "schedule run": "weekly",
    "schedule pause": "nightly",
    "schedule resume": "nightly",
    "findings list": "--status pending",
    "findings show": "45a30804",
    "findings accept": "45a30804 62d865f7",
    "findings dismiss": "45a30804 --never",
    "lead": "",
    "topics list": "",
    "topics restore": '"sourdough"',
    "topics never": '"sourdough"',
    "models list": "",
    "models detect": "",
    "models test": "",
    "sources list": "",
    "sources test": "wikipedia --query bread",
    "mcp": "--vault ~/Notes",
    "web": "--port 8765",
    "open": "",
    "obsidian install": "",
    "obsidian remove": "",
    "obsidian status": "",
    "obsidian token": "",
    "hub account": "",
    "hub publish": "",
    "hub init": "",
    "hub migrate": "",
    "hub status": "",
    "hub revoke": "notes ada",
    "library status": "",
    "library add": "~/Papers",
    "library scan": "",
    "library search": '"starch crystals" --limit 5',
    "secrets set": "brave",
    "secrets list": "",
    "secrets delete": "brave",
    "runs list": "bread",
    "runs show": "20261121T093000Z-4f1c2a",
    "runs citations": "20261121T093000Z-4f1c2a --graphml citations.graphml",
    "runs sources": "--graphml sources.graphml",
    "replay": "20261121T093000Z-4f1c2a --into ~/again",
    "costs": "--since 2026-11-01",
    "privacy": "--since 2026-11-01",
    "config show": "--all",
    "config get": "embedding.model",
    "config set": "nightly.enabled true",
    "config edit": "",
    "config check": "",
    "config migrate": "",
    "backup": "~/lacuna-backup.tar.gz",
    "restore": "~/lacuna-backup.tar.gz",
    "service install": "",
    "service uninstall": "",
    "service reload": "",
    "service status": "",
    "service logs": "--lines 100",
    "uninstall": "--yes",
    "doctor": "--fix",
    "demo": "--into ~/lacuna-demo",
}


def with_example(command: click.Command, group: click.Context, name: str) -> click.Command:
    """Return a copy of a group's command, whose help ends with its example."""
    command = copy(command)
    path = " ".join([*group.command_path.split()[1:], name])
    text = cleandoc(command.help or "")
    if path in EXAMPLES and "Example: " not in text:
        command.help = f"{text}\n\nExample: lacuna {f'{path} {EXAMPLES[path]}'.strip()}"
    return command
