"""Run a module in a process of its own: what it loads is not kept by a server."""

import subprocess
import sys

from daemon.child_environment import child_environment
from daemon.model.errors import LacunaError

_PATIENCE = 60.0  # seconds


def run_apart(module: str, given: bytes = b"") -> bytes:
    """Return what a module prints when it is run with `given` on stdin.

    Raises LacunaError with the line that it printed on stderr.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", module],
            input=given,
            env=child_environment(),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LacunaError(f"{module} could not be run: {error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise LacunaError(said[-1] if said else f"{module} failed")
    return done.stdout
