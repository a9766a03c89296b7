"""Settings: their values, where each comes from, and changing one."""

import tomllib
from collections.abc import MutableMapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from tomlkit import TOMLDocument

from daemon.config import (
    KEYS,
    PATH,
    RENAMED,
    VAULTS,
    config_path,
    current,
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
from daemon.model.hook_event import HookEvent
from daemon.usecases.document import Document, Request, absent
from daemon.usecases.place import Place, settings_file
from daemon.usecases.reloading import take_up
from daemon.usecases.settings_file import edit_settings, set_value, vault_table

_PLAIN = (bool, int, float)


class SettingRequest(Request):
    """Which setting is meant."""

    key: str = Field(description="Its name, or `vaults.NAME.KEY`.", examples=["agenda.veto_hours"])


class SetRequest(SettingRequest):
    """A new value for a setting."""

    value: str | None = Field(
        description="As it is typed: a list with commas, or as in TOML; null: its default."
    )


class Setting(Document):
    """A setting's value, and where it comes from."""

    value: JsonValue = Field(description="The value in effect.")
    source: str = Field(alias="from", description='A file, the environment, or "default".')


class PrintedSetting(Setting):
    """A setting's value, where it comes from, and whether its name is an old one."""

    deprecated: str | None = absent("Its new name; absent: the name is not an old one.")


class PrintedSettings(Document):
    """Every setting by its name, and `vaults`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, PrintedSetting]

    vaults: dict[str, str] = Field(description="Name: path.")


class SettingsDocument(Document):
    """Every setting of a vault, and the vaults in the settings file.

    In JSON the settings are keys of the document itself, beside `vaults`. Old names are there, too,
    each with `deprecated`: its new name.
    """

    settings: dict[str, Setting] = Field(
        description="Name of a setting: its value, and where it comes from."
    )
    vaults: dict[str, str] = Field(description="Name: path.")
    file: str = Field(description="Path of the settings file, as it was named.")
    config: str = Field(description="The same, absolute.")
    exists: bool = Field(description="Whether the settings file exists.")

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        found = {key: setting.as_json() for key, setting in self.settings.items()}
        old = {name: found[key] | {"deprecated": key} for name, key in RENAMED.items()}
        return found | {VAULTS: self.vaults} | old | {"hooks": self._hooks()}

    def _hooks(self) -> dict[str, Any]:
        """Return what `hooks` was, when each event was not a setting of its own."""
        every = {event: self.settings[f"hooks.{event}"] for event in HookEvent}
        sources = {each.source for each in every.values()} - {"default"}
        return {
            "value": {event: each.value for event, each in every.items() if each.value},
            "from": next(iter(sources), "default"),
            "deprecated": "hooks.EVENT",
        }


class ChangedSetting(Document):
    """A setting after a change."""

    key: str = Field(description="Its name as it was given.")
    name: str = Field(description="Its name, also if an old one was given.")
    value: JsonValue = Field(description="The new value.")
    source: str = Field(alias="from", description='A file, the environment, or "default".')
    config: str = Field(description="Path of the settings file.")
    daemon: tuple[str, ...] | None = absent(
        description="What a running daemon did with the change; absent: no daemon runs."
    )
    written_to: str = Field(description="Path of the file that was written.", exclude=True)

    @property
    def is_overridden(self) -> bool:
        """Whether something wins over the value in the file."""
        return self.source != self.written_to


class Checked(Document):
    """A settings file without a mistake."""

    config: str = Field(description="Path of the settings file.")
    ok: bool = Field(default=True, description="Always true: it has no mistake.")


def settings(place: Place) -> SettingsDocument:
    """Return every setting with its source. Raises SettingsError for a mistake in the file."""
    explained = explain_settings(place.config, vault=place.vault)
    path = settings_file(place)
    return SettingsDocument(
        settings={
            key: Setting.model_validate({"value": _plain(value), "from": where})
            for key, (value, where) in explained.items()
        },
        vaults={name: str(vault) for name, vault in vault_paths(place.config).items()},
        file=str(place.config or config_path()),
        config=str(path),
        exists=path.is_file(),
    )


def setting(place: Place, request: SettingRequest) -> Setting:
    """Return one setting. Raises SettingsError for an unknown one."""
    table, key = _place_of(request.key, place)
    value, where = _explained(place, table)[key]
    return Setting.model_validate({"value": _plain(value), "from": where})


def change(place: Place, request: SetRequest) -> ChangedSetting:
    """Change one setting in the file, and make running daemons apply it.

    Comments and everything else in the file stay. Raises SettingsError for an unknown setting, and
    for an invalid value.
    """
    table, key = _place_of(request.key, place)
    path = settings_file(place)

    def edit(document: TOMLDocument) -> None:
        target: MutableMapping[str, Any] = document
        name = key
        if table is not None:
            target = vault_table(document, table)
            name = PATH if key == "vault" else key
        value = None if request.value is None else _read(key, request.value)
        set_value(target, name, value)

    edit_settings(path, edit)
    given = request.key.removeprefix(f"{VAULTS}.{table}.")
    value, where = _explained(place, table)[key]
    source = place.config or config_path()
    return ChangedSetting.model_validate(
        {
            "key": given if current(given) == key else key,
            "name": key,
            "value": _plain(value),
            "from": where,
            "config": str(path),
            "daemon": tuple(take_up(place, table, key)) or None,
            "written_to": str(source) if table is None else table_place(source, table),
        }
    )


def check(place: Place) -> Checked:
    """Check the settings file, the environment and sources.yaml. Raises SettingsError."""
    if place.config is not None and not place.config.is_file():
        raise SettingsError(f"{place.config}: the settings file does not exist")
    explain_settings(place.config)
    open_keys(place.config)  # reads sources.yaml
    return Checked(config=str(settings_file(place)))


def make_file(place: Place) -> str:
    """Return the path of the settings file, which is created if necessary."""
    path = settings_file(place)
    if not path.is_file():
        edit_settings(path, lambda _document: None)
    return str(path)


def _place_of(key: str, place: Place) -> tuple[str | None, str]:
    """Return the vault whose table contains a setting, if any, and the setting's own name."""
    named = split_key(key)
    if named is not None:
        return named[0], "vault" if named[1] == PATH else named[1]
    key = current(key)
    if key not in KEYS:
        raise SettingsError(unknown_setting(key))
    if place.vault is None:
        return None, key
    vaults = vaults_of(place.config)
    if str(place.vault) not in vaults and str(place.vault) in vault_names(place.config):
        return None, key
    if str(place.vault) not in vaults:
        known = f"there are {', '.join(vaults)}" if vaults else "the file has no [vaults.NAME]"
        raise SettingsError(f"no vault is named {place.vault}: {known}")
    return str(place.vault), key


def _explained(place: Place, table: str | None) -> dict[str, tuple[Any, str]]:
    if table is not None and table not in vaults_of(place.config):
        raise SettingsError(f"{settings_file(place)}: there is no [{VAULTS}.{table}]")
    return explain_settings(place.config, vault=table)


def _read(key: str, text: str) -> Any:
    """Parse a typed value: numbers, true, false and lists as in TOML, else text."""
    annotation = KEYS[key].annotation
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
    """Convert a setting to JSON and TOML types."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    return value if value is None or isinstance(value, _PLAIN) else str(value)
