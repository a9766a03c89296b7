"""Names of settings as keyword arguments: `agenda__veto_hours` for `agenda.veto_hours`."""

from collections.abc import Mapping
from typing import Any


def named(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the names that settings have in the settings file."""
    return {key.replace("__", "."): value for key, value in values.items()}
