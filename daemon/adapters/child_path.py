"""Where a child process of ours finds this very package."""

import os
from pathlib import Path


def python_path() -> str:
    """Return the PYTHONPATH that leads to this package first, then wherever the user's leads."""
    package_root = str(Path(__file__).resolve().parents[2])
    path = os.environ.get("PYTHONPATH")
    return os.pathsep.join([package_root, path] if path else [package_root])
