"""Describe invalid settings in a user's terms."""

import os
from collections.abc import Mapping
from difflib import get_close_matches

from pydantic_core import ErrorDetails

from daemon.config.own_schedules import Schedule
from daemon.config.renamed import RENAMED
from daemon.config.setting_names import ENVIRONMENT_PREFIX, KEYS, SECTIONS, variable
from daemon.model.must_be import must_be

# Placeholders of options with that name, and what opens the key file.
_NO_SETTINGS = {"LACUNA_CONFIG", "LACUNA_SECRETS_PASSPHRASE", "LACUNA_SECRETS_PASSPHRASE_FD"}
_KINDS = {
    "dict_type": "tables such as [schedules.papers]",
    "model_type": "a table such as [schedules.papers]",
    "model_attributes_type": "a table such as [schedules.papers]",
}


def unknown_setting(key: str, begin: str = "", value: object = None) -> str:
    """Return that no setting has this name, and which one may have been meant.

    `begin` is what its full name starts with, where it stands in a vault's table; `value` is what
    it is set to.
    """
    if key in SECTIONS:
        first = next(iter(SECTIONS[key].model_fields))
        return f"{begin}{key} is a section: its settings are called {begin}{key}.{first} and so on"
    near = nearest(key, is_table=isinstance(value, Mapping))
    if near in SECTIONS and not isinstance(value, Mapping):
        near = f"{near}.{next(iter(SECTIONS[near].model_fields))}"
    if begin and near == "vaults":
        near = ""
    return f"unknown setting {begin}{key}" + (f"; did you mean {begin}{near}?" if near else "")


def nearest(key: str, *, is_table: bool = False) -> str:
    """Return the name most like `key`: of a table, or of a setting by its full, old or last name.

    An empty text if none is like it.
    """
    if is_table:
        return next(iter(get_close_matches(key, [*SECTIONS, "schedules", "vaults"], n=1)), "")
    last = {name.rpartition(".")[2]: name for name in reversed(list(KEYS))}
    section, _, own = key.rpartition(".")
    if section in SECTIONS:
        same = [name.rpartition(".")[2] for name in KEYS if name.startswith(f"{section}.")]
        if near := get_close_matches(own, same, n=1):
            return f"{section}.{near[0]}"
    pool = {**last, **RENAMED, **{name: name for name in KEYS}}
    for wanted in (key, own):
        if near := get_close_matches(wanted, pool, n=1):
            return pool[near[0]]
    return ""


def unknown_in_table(key: str) -> str:
    """Do the same for a key in a table, such as `schedules.papers.crn`."""
    begin, _, last = key.rpartition(".")
    near = get_close_matches(last, Schedule.model_fields, n=1)
    return f"unknown setting {key}" + (f"; did you mean {begin}.{near[0]}?" if near else "")


def unknown_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return environment variables that look like settings and are not, with suggestions.

    Their common prefix is ignored when they are compared.
    """
    old = {ENVIRONMENT_PREFIX + key.upper() for key in RENAMED}
    known = {variable(key) for key in KEYS} | old | _NO_SETTINGS
    bare = {name.removeprefix(ENVIRONMENT_PREFIX): name for name in known - old}
    bare |= {name.upper(): variable(key) for name, key in RENAMED.items()}
    odd = sorted(key for key in environ if key.startswith(ENVIRONMENT_PREFIX) and key not in known)
    nearest = {
        key: get_close_matches(key.removeprefix(ENVIRONMENT_PREFIX), bare, n=1)
        for key in odd
        if not key.endswith("_KEY")
    }
    return [
        f"{key}; did you mean {bare[near[0]]}?" if near else key for key, near in nearest.items()
    ]


def renamed_variables(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return old and new names of the variables in the environment that have a new one."""
    names = {ENVIRONMENT_PREFIX + old.upper(): variable(new) for old, new in RENAMED.items()}
    return [(old, new) for old, new in names.items() if environ.get(old) and old != new]


def error_line(error: ErrorDetails) -> str:
    """Return what a value must be, in a user's terms."""
    if error["type"] == "string_type" and isinstance(error["loc"][-1], int):
        return 'must be a list of strings in quotes, such as ["Templates"]'
    return must_be(error, _KINDS)
