"""What is wrong with a setting, said as a user would say it."""

import os
from collections.abc import Mapping
from difflib import get_close_matches

from pydantic_core import ErrorDetails

from daemon.config.schedules import Schedule
from daemon.config.table import Settings
from daemon.model.wording import must_be

ENVIRONMENT_PREFIX = "LACUNA_"
# What the option of the same name stands for, and what opens the file of keys.
_NO_SETTINGS = {"LACUNA_CONFIG", "LACUNA_SECRETS_PASSPHRASE", "LACUNA_SECRETS_PASSPHRASE_FD"}
_KINDS = {
    "dict_type": "tables such as [schedules.papers]",
    "model_type": "a table such as [schedules.papers]",
}


def unknown_setting(key: str, begin: str = "", value: object = None) -> str:
    """Say that no setting is called so, and which one may have been meant.

    `begin` is what its full name begins with, where it stands in a table; `value` is what it is
    set to: a table `[budget]` of what are plain settings here is told their names.
    """
    inside = [f"{key}_{each}" for each in value] if isinstance(value, Mapping) else []
    if plain := [each for each in inside if each in Settings.model_fields]:
        return f"unknown setting {begin}{key}; did you mean {plain[0]}, which is in no table?"
    known = [*Settings.model_fields, *([] if begin else ["vaults"])]
    near = get_close_matches(key, known, n=1)
    hint = f"; did you mean {begin}{near[0]}?" if near else ""
    return f"unknown setting {begin}{key}{hint}"


def unknown_in_table(key: str) -> str:
    """Say the same of a key in a table, such as `schedules.papers.crn`."""
    begin, _, last = key.rpartition(".")
    near = get_close_matches(last, Schedule.model_fields, n=1)
    return f"unknown setting {key}" + (f"; did you mean {begin}.{near[0]}?" if near else "")


def odd_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return what looks like a setting in the environment and is none, with what was meant.

    What all of them begin with says nothing of how near one is to another.
    """
    known = {ENVIRONMENT_PREFIX + key.upper() for key in Settings.model_fields} | _NO_SETTINGS
    bare = {name.removeprefix(ENVIRONMENT_PREFIX): name for name in known}
    odd = sorted(key for key in environ if key.startswith(ENVIRONMENT_PREFIX) and key not in known)
    nearest = {
        key: get_close_matches(key.removeprefix(ENVIRONMENT_PREFIX), bare, n=1)
        for key in odd
        if not key.endswith("_KEY")
    }
    return [
        f"{key}; did you mean {bare[near[0]]}?" if near else key for key, near in nearest.items()
    ]


def in_words(error: ErrorDetails) -> str:
    """Say what a value must be, as a user would."""
    if error["type"] == "string_type" and isinstance(error["loc"][-1], int):
        return 'must be a list of texts in quotes, such as ["Templates"]'
    return must_be(error, _KINDS)
