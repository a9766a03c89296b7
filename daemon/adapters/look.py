"""A look at the whole vault in a process of its own, which takes its memory with it when it ends.

Looking at a large vault takes many times the memory that the daemon has while it waits, and most
of that would stay with it.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict
from typing import TYPE_CHECKING

from daemon.child_environment import child_environment
from daemon.confinement.child import command
from daemon.cycle.look import Terms
from daemon.model.errors import LacunaError
from daemon.store.notes import NoteStore

if TYPE_CHECKING:  # what was seen is read only where somebody looks
    from daemon.analysis.health import Health

_WORKER = "daemon.adapters.look_worker"


def look_apart(notes: NoteStore, terms: Terms) -> Health:
    """Return what `daemon.cycle.look.look` would, of what is committed. Raises LacunaError.

    The process reads and writes the state and nothing else: text of the vault cannot leave it.
    """
    from daemon.analysis.keep import from_text  # noqa: PLC0415 only who looks needs it

    asked = {"database": str(notes.db.path), **asdict(terms), "until": terms.until.isoformat()}
    done = subprocess.run(
        command(_WORKER, writable=[notes.db.path.parent]),
        input=json.dumps(asked).encode(),
        capture_output=True,
        env=child_environment(),
        check=False,
    )
    found = from_text(done.stdout.decode(errors="replace")) if done.returncode == 0 else None
    if found is None:
        raise LacunaError(f"the look at the vault was cut short: {_why(done)}")
    return found


def _why(done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}"
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"
