"""Serialise the result of an analysis as text; see `read_health` for the way back."""

import json
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from daemon.analysis.health import Health

# The code that determines the result of an analysis, relative to this file.
_PLACES = (".", "../language", "../store", "../../vault_adapters")


def health_to_json(health: Health) -> str:
    return json.dumps(health, default=_parts, ensure_ascii=False, separators=(",", ":"))


@cache
def rules() -> str:
    """Return a fingerprint of the analysis: of its code, so that nobody has to maintain a version
    number.
    """
    here = Path(__file__).parent
    files = [file for place in _PLACES for file in sorted((here / place).glob("*.py"))]
    digest = sha256(_version_of_numpy())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _version_of_numpy() -> bytes:
    """Return the file that states it: to load numpy, or to search all packages, takes longer."""
    found = find_spec("numpy")
    assert found is not None and found.origin is not None  # noqa: S101,PT018 it is a dependency
    return Path(found.origin).with_name("version.py").read_bytes()


def _parts(value: object) -> Any:
    """Return what JSON can hold of a value of a look."""
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    raise TypeError(type(value).__name__)
