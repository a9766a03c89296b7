"""Looking at the settings, and changing them."""

import json
import tomllib
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel
from tomlkit import TOMLDocument

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.reload import take_up
from daemon.cli.settings_file import edit_settings, vault_table
from daemon.config import (
    PATH,
    VAULTS,
    Settings,
    config_path,
    explain_settings,
    split_key,
    table_place,
    unknown_setting,
    vault_names,
    vault_paths,
    vaults_of,
)
from daemon.keys import open_keys
from daemon.model.errors import SettingsError

_PLAIN = (bool, int, float)


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def config(context: click.Context, options: Options) -> None:
    """Show, change or check the settings."""
    if context.invoked_subcommand is None:
        context.invoke(config_show)


@config.command("show")
@click.option("--all", "everything", is_flag=True, help="Those too that have their default.")
@common
def config_show(options: Options, *, everything: bool) -> None:
    """Print the settings and where each comes from; with --vault, those of that vault."""
    explained = explain_settings(options.config, vault=options.vault)
    vaults = vault_paths(options.config)
    if options.json:
        document = {
            key: {"value": _plain(of), "from": where} for key, (of, where) in explained.items()
        }
        emit(document | {VAULTS: {name: str(path) for name, path in vaults.items()}})
        return
    path = _path(options)
    say(f"# {path}" if path.is_file() else f"# {path} is not there; all have their defaults")
    shown = {
        key: (value, where)
        for key, (value, where) in explained.items()
        if everything or where != "default"
    }
    for key, (value, where) in shown.items():
        note = f"  # {where}" if where != str(_source(options)) else ""
        say(f"{key} = {json.dumps(_plain(value), ensure_ascii=False)}{note}")
    if not everything:
        say(f"# {len(explained) - len(shown)} more have their defaults; --all shows them")
    for name, vault in vaults.items():
        say(f"# --vault {name}: {vault}")


@config.command("get")
@click.argument("key")
@common
def config_get(options: Options, *, key: str) -> None:
    """Print one setting's value, as it counts; `vaults.NAME.KEY` is that of one vault."""
    table, key = _place_of(key, options)
    value = _plain(_explained(options, table)[key][0])
    if options.json:
        emit(value)
    elif isinstance(value, list):
        for each in value:
            say(str(each))
    elif value is not None:
        say(str(value).lower() if isinstance(value, bool) else str(value))


@config.command("set")
@click.argument("key")
@click.argument("value", required=False)
@click.option("--default", is_flag=True, help="Take the setting out of the file again.")
@common
def config_set(options: Options, *, key: str, value: str | None, default: bool) -> None:
    """Change one setting in the file; comments and all else in it stay.

    A list is written with commas, or as in TOML. KEY may be `vaults.NAME.KEY`, or --vault NAME
    says that the setting is for that vault alone. A running daemon takes it up at once, or it is
    said what to do.
    """
    if (value is None) is not default:
        raise click.UsageError("give a value, or --default")
    table, key = _place_of(key, options)
    path = _path(options)

    def edit(document: TOMLDocument) -> None:
        place: MutableMapping[str, Any] = document
        name = key
        if table is not None:
            place = vault_table(document, table)
            name = PATH if key == "vault" else key
        if value is None:
            place.pop(name, None)
        else:
            place[name] = _read(key, value)

    edit_settings(path, edit)
    now, where = _explained(options, table)[key]
    reloaded = take_up(options, table, key)
    if options.json:
        document = {"key": key, "value": _plain(now), "from": where, "config": str(path)}
        emit({**document, "daemon": reloaded} if reloaded else document)
        return
    say(f"{key} = {json.dumps(_plain(now), ensure_ascii=False)}")
    source = _source(options)
    written = str(source) if table is None else table_place(source, table)
    if value is not None and where != written:
        say(f"The file says so, but it does not count: {where} wins.")
    for line in reloaded:
        say(line)


@config.command("edit")
@common
def config_edit(options: Options) -> None:
    """Open the settings file in your editor, and check it afterwards."""
    path = _path(options)
    if not path.is_file():
        edit_settings(path, lambda _document: None)
    click.edit(filename=str(path))
    _check(options)
    say(f"{path}: nothing wrong")


@config.command("check")
@common
def config_check(options: Options) -> None:
    """Check the settings file, the environment and sources.yaml; say what is wrong where."""
    _check(options)
    if options.json:
        emit({"config": str(_path(options)), "ok": True})
    else:
        say(f"{_path(options)}: nothing wrong")


def _check(options: Options) -> None:
    if options.config is not None and not options.config.is_file():
        raise SettingsError(f"{options.config}: no such settings file")
    explain_settings(options.config)
    open_keys(options.config)  # reads sources.yaml


def _source(options: Options) -> Path:
    """The settings file as it was named, and as it is named where a value is said to come from."""
    return options.config or config_path()


def _path(options: Options) -> Path:
    return _source(options).absolute()


def _place_of(key: str, options: Options) -> tuple[str | None, str]:
    """Return the vault whose table a setting stands in, if any, and the setting's own name."""
    named = split_key(key)
    if named is not None:
        return named[0], "vault" if named[1] == PATH else named[1]
    if key not in Settings.model_fields:
        raise SettingsError(unknown_setting(key))
    if options.vault is None:
        return None, key
    vaults = vaults_of(options.config)
    if str(options.vault) not in vaults and str(options.vault) in vault_names(options.config):
        return None, key
    if str(options.vault) not in vaults:
        known = f"there are {', '.join(vaults)}" if vaults else "the file has no [vaults.NAME]"
        raise SettingsError(f"no vault is called {options.vault}: {known}")
    return str(options.vault), key


def _explained(options: Options, table: str | None) -> dict[str, tuple[Any, str]]:
    if table is not None and table not in vaults_of(options.config):
        raise SettingsError(f"{_path(options)}: there is no [{VAULTS}.{table}]")
    return explain_settings(options.config, vault=table)


def _read(key: str, text: str) -> Any:
    """Read a value as it is typed: numbers, true, false and lists as in TOML, else text."""
    annotation = Settings.model_fields[key].annotation
    is_list = str(annotation).startswith("tuple")
    if is_list and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    if not is_list and annotation not in _PLAIN:
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _plain(value: Any) -> Any:
    """Turn a setting into what JSON and TOML can hold."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    return value if value is None or isinstance(value, _PLAIN) else str(value)
