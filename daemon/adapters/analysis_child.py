"""An analysis of the whole vault in a subprocess, whose memory is freed when it ends.

Analysing a large vault takes many times the memory of the idle daemon, and most of that would not
be returned.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from threading import Lock
from typing import TYPE_CHECKING, Any

from daemon.analysis.read_health import health_from_json
from daemon.child_environment import child_environment
from daemon.confinement.child import command
from daemon.cycle.analysis_options import AnalysisOptions, options_to_json
from daemon.model.errors import LacunaError, StoppedError
from daemon.model.progress import Progress, no_progress
from daemon.store.notes import NoteStore

if TYPE_CHECKING:  # the result is read only where somebody asks for it
    from daemon.analysis.health import Health

_WORKER = "daemon.adapters.analysis_worker"


class AnalysisChild:
    """Analyses vaults as `analyse_vault` does, one at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_interrupted = False
        self._is_free = Lock()

    def __call__(
        self, notes: NoteStore, options: AnalysisOptions, progress: Progress = no_progress
    ) -> Health:
        """Return the health of what is committed. Raises LacunaError, StoppedError.

        The process reads and writes the state and nothing else: text of the vault cannot leave it.
        """
        found = health_from_json(
            self._output(notes, {"options": options_to_json(options)}, progress)
        )
        if found is None:
            raise LacunaError("the analysis of the vault failed: its result is incomplete")
        return found

    def draw(
        self,
        notes: NoteStore,
        options: AnalysisOptions,
        clusters: Sequence[tuple[str, Sequence[str]]],
        progress: Progress = no_progress,
    ) -> str:
        """Return the map of what is committed, as JSON; `clusters` are labels with paths.

        Raises LacunaError, StoppedError.
        """
        request = {"options": options_to_json(options), "clusters": [*clusters]}
        return self._output(notes, request, progress)

    def _output(self, notes: NoteStore, request: dict[str, Any], progress: Progress) -> str:
        with self._is_free, TemporaryFile() as complaints:
            self._process = process = subprocess.Popen(
                command(_WORKER, writable=[notes.file.parent]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                # Threads that wait for each other take more of the processor than they save.
                env={**child_environment(), "OPENBLAS_NUM_THREADS": "1"},
            )
            if self._is_interrupted:  # before there was a process to kill
                process.kill()
            request["database"] = str(notes.file)
            output = _exchange(process, json.dumps(request).encode(), progress)
            if self._is_interrupted:
                raise StoppedError("the analysis of the vault was stopped")
            if process.returncode:
                complaints.seek(0)
                why = _why(process.returncode, complaints.read())
                raise LacunaError(f"the analysis of the vault failed: {why}")
            return output

    def interrupt(self) -> None:
        """Stop the analysis, and start no other: for a process that is shutting down. A signal
        handler may call it.
        """
        self._is_interrupted = True
        process = self._process
        if process is not None:
            process.kill()


def _exchange(process: subprocess.Popen[bytes], request: bytes, progress: Progress) -> str:
    """Send the request, pass progress on, and return the last line when the process has ended."""
    last = b""
    with process:
        assert process.stdin is not None  # noqa: S101 it was started with a pipe
        assert process.stdout is not None  # noqa: S101 as above
        with suppress(BrokenPipeError):  # it has ended, and says why
            process.stdin.write(request)
            process.stdin.close()
        for last in process.stdout:
            if last.startswith(b"["):
                progress(*json.loads(last))
    return last.decode(errors="replace")


def _why(code: int, complaint: bytes) -> str:
    if code < 0:
        return f"killed by signal {-code}"
    lines = complaint.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {code}"
