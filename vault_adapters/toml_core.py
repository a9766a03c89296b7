"""TOML frontmatter (`+++`) as values that JSON can hold, bounded against hostile sources. Pure."""

import math
import tomllib
from datetime import date, time
from typing import Any

from vault_adapters.yaml_core import MAX_DEPTH

MAX_LENGTH = 20_000  # characters; tomllib takes quadratic time for some sources
_TOML_TYPES = (
    "lacuna_"  # Lacuna writes YAML only: in TOML, properties with its names belong to others
)


def load_toml(source: str) -> dict[str, Any]:
    """Return the values of TOML source; dates become texts, as in YAML. Raises ValueError."""
    if len(source) > MAX_LENGTH:
        raise ValueError(f"it is longer than {MAX_LENGTH:,} characters")
    if any(line.partition("=")[0].count(".") > MAX_DEPTH for line in source.split("\n")):
        raise ValueError("a key has too many parts")
    try:
        values = tomllib.loads(source)
    except RecursionError:
        raise ValueError("the values are nested too deeply") from None
    return {
        key: _as_json(value, 1) for key, value in values.items() if not key.startswith(_TOML_TYPES)
    }


def _as_json(value: object, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError("the values are nested too deeply")
    if isinstance(value, dict):
        return {key: _as_json(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_json(inner, depth + 1) for inner in value]
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value
