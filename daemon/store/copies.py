"""Copies of the database from before it was brought to a newer schema: where, how many, and room.

`lacuna.db.schema-7` is the whole database as it was when its schema was 7.
"""

import re
import shutil
from pathlib import Path

from daemon.model.errors import StoreError

KEPT = 2  # the newest; each is as large as the database
_NAME = re.compile(r"\.schema-(\d+)")
_SPARE_BYTES = 16 * 1024 * 1024  # what a migration itself may write before it is done


def copy_path(path: Path, version: int) -> Path:
    """Where the database at `path` is kept as it was with schema `version`."""
    return path.with_name(f"{path.name}.schema-{version}")


def draft_path(path: Path) -> Path:
    """Where a copy is made before it is whole; one that a kill left is written over."""
    return path.with_name(f".{path.name}.schema.tmp")


def require_room(path: Path, version: int, size: int) -> None:
    """Raise StoreError when the disk cannot hold a copy of `size` bytes and the migration."""
    free = shutil.disk_usage(path.parent).free + _size(draft_path(path))
    if free < size + _SPARE_BYTES:
        needed = (size + _SPARE_BYTES) // 1_000_000 + 1
        raise StoreError(
            f"{path} has schema {version} and is kept as it is: bringing it up to date begins with"
            f" a backup, which needs {needed} MB, and {free // 1_000_000} MB are free"
        )


def prune(path: Path) -> None:
    """Delete all copies but the newest `KEPT`. Raises OSError."""
    found = {
        int(number[1]): copy
        for copy in path.parent.glob(f"{path.name}.schema-*")
        if (number := _NAME.fullmatch(copy.name.removeprefix(path.name)))
    }
    for version in sorted(found)[:-KEPT]:
        found[version].unlink(missing_ok=True)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
