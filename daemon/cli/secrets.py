"""The keys of sources. Needs no vault."""

import sys
from collections.abc import Callable
from functools import cache

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.model.errors import SecretError
from daemon.usecases.secrets import has_key_file, key_ring


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def secrets(context: click.Context, options: Options) -> None:
    """Manage API keys in the system's keyring, never in plain text."""
    if context.invoked_subcommand is None:
        context.invoke(secrets_list)


@secrets.command("set")
@click.argument("name")
@common
def secrets_set(options: Options, *, name: str) -> None:
    """Store an API key; prompts, or reads standard input."""
    keys = key_ring(options, passphrase(options))
    keys.require(name)  # before anything is typed for nothing
    value = read_secret(name)
    if not value:
        raise SecretError("no input; nothing changed")
    stored = keys.set(name, value)
    if options.json:
        emit(stored.as_json())
    else:
        say(f"{name}: stored in the {keys.place}")


@secrets.command("list")
@common
def secrets_list(options: Options) -> None:
    """List the names of API keys and where each is stored."""
    found = key_ring(options, passphrase(options)).each()
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        where = each.where or each.why or f"not set; `lacuna secrets set {each.name}`"
        say(f"{each.name:<10} {where}")


@secrets.command("delete")
@click.argument("name")
@common
def secrets_delete(options: Options, *, name: str) -> None:
    """Delete an API key."""
    keys = key_ring(options, passphrase(options))
    done = keys.delete(name)
    if options.json:
        emit(done.as_json())
        return
    say(f"{name}: {'deleted' if done.deleted else f'was not in the {keys.place}'}")
    if still := keys.where(name):
        say(f"It is still set in the {still}.")


def passphrase(options: Options) -> Callable[[], str] | None:
    """Return a function that prompts for the key file's passphrase at a terminal; twice for a new
    one.

    Returns None without a terminal.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    is_new = not has_key_file(options)

    @cache
    def ask() -> str:
        what = "New passphrase for the key file" if is_new else "Passphrase"
        return str(click.prompt(what, hide_input=True, confirmation_prompt=is_new, err=True))

    return ask


def read_secret(name: str) -> str:
    """Read a secret: without echo at a terminal, otherwise the first line of standard input."""
    if sys.stdin is None:
        return ""
    if sys.stdin.isatty():
        return str(click.prompt(f"Key for {name}", hide_input=True, err=True)).strip()
    return sys.stdin.readline().strip()
