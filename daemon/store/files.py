"""Files of the state folder, each replaced atomically: a reader sees the old or the new one."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from daemon.model.errors import ReplayError, StoreError
from daemon.store.private import make_folder, opener


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to a temporary file next to `path` and rename it.

    Raises StoreError: disk full, read-only, no permission.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        make_folder(path.parent)
        with open(temporary, "wb", opener=opener) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error


def write_json(path: Path, body: Mapping[str, Any]) -> None:
    """Write JSON deterministically. Raises StoreError."""
    text = json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True)
    write_atomic(path, text.encode("utf-8", "replace"))


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object. Raises ReplayError that names the file and the problem."""
    try:
        body = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ReplayError(f"{path} is missing") from None
    except (OSError, ValueError) as error:
        raise ReplayError(f"{path} cannot be read: {error}") from None
    if not isinstance(body, dict):
        raise ReplayError(f"{path} was not written by a run")
    return body
