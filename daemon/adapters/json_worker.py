"""The loop of every process behind a `json_child`: read requests, answer each with one line of
JSON.

A request is one line of JSON with `size` and `cpu_seconds`, then `size` bytes. The first line that
a worker writes says that it is ready, and which confinement failed. It exits when its stdin is
closed, or after `--idle` seconds without a request.
"""

import argparse
import contextlib
import json
import os
import resource
import select
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from daemon.confinement.child import missing


@dataclass(frozen=True, slots=True)
class Pipes:
    """Where requests come from and answers go. `inherited` are file descriptors from the parent."""

    requests: BinaryIO
    answers: BinaryIO
    idle_seconds: float
    inherited: tuple[int, ...]

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one line of what UTF-8 can encode: a document may contain lone surrogates."""
        line = json.dumps(message, ensure_ascii=False)
        with contextlib.suppress(UnicodeEncodeError):
            self._write(line.encode())
            return
        self._write(line.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode())

    def _write(self, line: bytes) -> None:
        self.answers.write(line + b"\n")
        self.answers.flush()

    def send_ready(self) -> None:
        """Write the first line."""
        self.send({"ready": True, "unconfined": missing})


def open_pipes() -> Pipes:
    """Apply the limits from the command line, and reserve stdout for answers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory", type=int, required=True, help="bytes of address space")
    parser.add_argument("--idle", type=float, required=True, help="seconds")
    parser.add_argument("--pipe", type=int, action="append", default=[], help="a descriptor")
    options = parser.parse_args()
    _limit(resource.RLIMIT_AS, options.memory)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output that a library prints must not mix with the answers
    return Pipes(os.fdopen(os.dup(0), "rb"), answers, options.idle, tuple(options.pipe))


def serve(pipes: Pipes, answer: Callable[[Mapping[str, Any], bytes], dict[str, Any]]) -> None:
    """Answer requests until the input is closed."""
    pipes.send_ready()
    # No buffered data can be missed here: the next request comes only after this answer.
    while select.select([pipes.requests], [], [], pipes.idle_seconds)[0]:
        line = pipes.requests.readline()
        if not line:
            return
        request = json.loads(line)
        allow_cpu(float(request["cpu_seconds"]))
        pipes.send(answer(request, pipes.requests.read(int(request["size"]))))


def allow_cpu(seconds: float) -> None:
    """Set the processor time of the next request, counted from now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1)


def _limit(what: int, amount: int) -> None:
    """Set a limit if the system supports it; macOS cannot limit address space."""
    with contextlib.suppress(ValueError, OSError):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (amount if hard < 0 else min(amount, hard), hard))
