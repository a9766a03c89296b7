"""Man pages and completions, from the commands."""

import re
from collections.abc import Iterator
from importlib.metadata import version
from inspect import cleandoc

import click
from click.shell_completion import get_completion_class
from click_man.man import ManPage

PROGRAM = "lacuna"
COMPLETIONS = {
    "bash": "bash-completion/completions/lacuna",
    "zsh": "zsh/site-functions/_lacuna",
    "fish": "fish/vendor_completions.d/lacuna.fish",
}
_REQUEST = re.compile(r"\.(TH|SH|TP|PP|B)\b")  # those that the generator writes


def man_pages(command: click.Command) -> dict[str, str]:
    """Return path → troff of the page of each command."""
    return {
        f"man/man1/{context.command_path.replace(' ', '-')}.1": _page(context)
        for context in _contexts(command, PROGRAM)
    }


def completions(command: click.Command) -> dict[str, str]:
    """Return path → script for each shell."""
    found = {}
    for shell, path in COMPLETIONS.items():
        kind = get_completion_class(shell)
        if kind is None:
            raise LookupError(shell)
        found[path] = kind(command, {}, PROGRAM, "_LACUNA_COMPLETE").source()
    return found


def _contexts(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[click.Context]:
    """Yield the context of a command and of all below it."""
    context = click.Context(command, parent, name, **command.context_settings)
    yield context
    for below in _below(context):
        yield from _contexts(below, below.name or "", context)


def _below(context: click.Context) -> Iterator[click.Command]:
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            found = context.command.get_command(context, name)
            if found is not None:
                yield found


def _page(context: click.Context) -> str:
    command = context.command
    page = ManPage(context.command_path)
    page.date, page.version = "", f"Lacuna {version('lacuna-daemon')}"
    page.short_help = _plain(command.get_short_help_str(limit=200))
    page.synopsis = " ".join(command.collect_usage_pieces(context))
    page.description = _plain(command.help or "")
    options = [each for each in command.params if isinstance(each, click.Option)]
    records = [each.get_help_record(context) for each in options if not each.hidden]
    page.options = [(names, _plain(text)) for names, text in filter(None, records)]
    page.commands = [
        (below.name, _plain(below.get_short_help_str(limit=200))) for below in _below(context)
    ]
    return _without_requests(str(page))


def _plain(text: str) -> str:
    """Return a help text for troff, which reads backslashes and hyphens as its own."""
    return cleandoc(text).replace("\\", "\\e").replace("-", "\\-")


def _without_requests(page: str) -> str:
    """Return a page in which no text begins a line as a request of troff does."""
    return "".join(
        f"\\&{line}\n" if line.startswith((".", "'")) and not _REQUEST.match(line) else f"{line}\n"
        for line in page.splitlines()
    )
