"""llama.cpp's server, and the weights that LACUNA_TEST_MODEL names."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

_SERVER = Path(__file__).resolve().parents[1] / "tests/fakes/llama_server.py"
_STARTS = 120.0  # seconds


def weights() -> Path | None:
    """Return the weights to measure, if any are named."""
    named = os.environ.get("LACUNA_TEST_MODEL")
    return Path(named) if named else None


@contextmanager
def serving(path: Path, *, context: int = 4096, slots: int = 2, threads: int = 1) -> Iterator[str]:
    """Run the server; give the base URL of its API.

    `context` counts the tokens of one call. Of two slots, readers use one and the writer the other.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = map(str, (port, context, slots, threads))
    command = [sys.executable, str(_SERVER), str(path), *options]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True
    ) as server:
        try:
            _wait(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


def _wait(url: str) -> None:
    ends = time.monotonic() + _STARTS
    while time.monotonic() < ends:
        try:
            if httpx.get(url, trust_env=False).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError("llama.cpp's server did not start")
