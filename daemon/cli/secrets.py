"""The keys of sources. Needs no vault."""

import sys
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.keys import Keys, keys_file, open_keys
from daemon.model.errors import SecretError, SourceError


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def secrets(context: click.Context, options: Options) -> None:
    """Manage keys in the system's keyring, never in plain text."""
    if context.invoked_subcommand is None:
        context.invoke(secrets_list)


@secrets.command("set")
@click.argument("name")
@common
def secrets_set(options: Options, *, name: str) -> None:
    """Store a key; prompts, or reads standard input."""
    keys = open_keys(options.config, ask=_passphrase(options))
    _check_known(name, keys)
    if why := keys.trouble(name):  # before anything is typed for nothing
        raise SecretError(why)
    value = _read_secret(name)
    if not value:
        raise SecretError("no input; nothing changed")
    keys.secrets.set(name, value)
    if options.json:
        emit({"name": name, "set": True})
    else:
        say(f"{name}: stored in the {keys.place}")


@secrets.command("list")
@common
def secrets_list(options: Options) -> None:
    """List the names of keys and where each is stored."""
    keys = open_keys(options.config, ask=_passphrase(options))
    found = [
        {"name": name, "where": keys.secrets.where(name), "why": keys.trouble(name)}
        for name in keys.names
    ]
    if options.json:
        emit(found)
        return
    for each in found:
        told = each["where"] or each["why"] or f"not set; `lacuna secrets set {each['name']}`"
        say(f"{each['name']:<10} {told}")


@secrets.command("delete")
@click.argument("name")
@common
def secrets_delete(options: Options, *, name: str) -> None:
    """Delete a key."""
    keys = open_keys(options.config, ask=_passphrase(options))
    was_there = keys.secrets.delete(name)
    if not was_there:
        _check_known(name, keys)
    if options.json:
        emit({"name": name, "deleted": was_there})
        return
    say(f"{name}: {'deleted' if was_there else f'was not in the {keys.place}'}")
    if still := keys.secrets.where(name):
        say(f"It is still set in the {still}.")


def _check_known(name: str, keys: Keys) -> None:
    if name not in keys.names:
        near = get_close_matches(name, keys.names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(keys.names)}"
        raise SourceError(f"no source uses a key named {name}: {hint}")


def _passphrase(options: Options) -> Callable[[], str] | None:
    """Return a function that prompts for the key file's passphrase at a terminal; twice for a new
    one.

    Returns None without a terminal.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    is_new = not keys_file(options.config).exists()

    @cache
    def ask() -> str:
        what = "New passphrase for the key file" if is_new else "Passphrase"
        return str(click.prompt(what, hide_input=True, confirmation_prompt=is_new, err=True))

    return ask


def _read_secret(name: str) -> str:
    """Without echo at a terminal; the first line of standard input otherwise."""
    if sys.stdin is None:
        return ""
    if sys.stdin.isatty():
        return str(click.prompt(f"Key for {name}", hide_input=True, err=True)).strip()
    return sys.stdin.readline().strip()
