"""Starts Lacuna, unless another distribution's package stands in the place of one of its own.

`daemon` and `scheduler` are common names: python-daemon, for one, installs a package `daemon`. This
module is the only one that the console script imports before it is known whose they are.
"""

import gc
import os
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("daemon", "scheduler", "vault_adapters")
# New objects before Python collects garbage: nearly all objects of a start are permanent, and
# scanning them takes an eighth of it.
_AT_START = 50_000
MARK = b'DISTRIBUTION = "lacuna-daemon"'


def main() -> None:
    """Run the command line. Exits with 1 when a package is not Lacuna's."""
    gc.set_threshold(_AT_START)
    # Plugins of pydantic belong to other programs, and the search for them slows every start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if trouble := foreign_package():
        sys.stderr.write(f"lacuna: {trouble}\n")
        sys.exit(1)
    from daemon.cli import main as run  # noqa: PLC0415 not before it is known whose it is

    run()


def foreign_package() -> str:
    """Return which package is missing or another distribution's and what to do, or ""."""
    own_folder = Path(__file__).resolve().parent
    for name in PACKAGES:
        spec = find_spec(name)
        place = Path(spec.origin).resolve() if spec is not None and spec.origin else None
        if place is None:
            return f"its package {name} is missing: install lacuna-daemon again"
        if place.parent.parent != own_folder or MARK not in place.read_bytes():
            return (
                f"the package {name} in {place.parent} belongs to another program (python-daemon"
                " has one). Install Lacuna in an environment of its own:"
                " `pipx install lacuna-daemon`"
            )
    return ""
