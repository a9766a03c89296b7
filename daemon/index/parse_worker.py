"""The parsing process: files in, rows out, over pipes. It ends when its parent hangs up.

Started as `python -m daemon.index.parse_worker` by `parallel`. What comes first is the adapter,
then lists of files; each list is answered by what they hold, or by None when that cannot be told
here: the parent then does it itself, and meets the same trouble.
"""

import gc
import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from daemon.index.parse import Parsed, Wanted, parse_file
from vault_adapters.base import VaultAdapter

_HEAD = 8  # bytes that say how long a message is
_COLLECTED = (50_000, 20, 20)  # objects that are new when cycles are looked for, and how far


def main() -> None:
    """Serve the parent until it hangs up, which is also how its end is noticed."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no answer
    try:
        with collecting_less():
            serve(sys.stdin.buffer, answers)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # what is left in the buffer is for nobody


@contextmanager
def collecting_less() -> Iterator[None]:
    """Look for cycles more rarely than Python does by itself.

    Hardly any of the rows that are made by the thousand is part of one, and looking for some among
    them takes a twentieth of the time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*_COLLECTED)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every list of files. Raises EOFError or BrokenPipeError when the parent is gone."""
    adapter: VaultAdapter = pickle.loads(receive(requests))  # noqa: S301 both ends are ours
    while True:
        send(answers, _answer(adapter, pickle.loads(receive(requests))))  # noqa: S301


def _answer(adapter: VaultAdapter, files: list[Wanted]) -> bytes:
    try:
        return pack([parse_file(adapter, file) for file in files])
    except Exception:  # noqa: BLE001 whatever it is, the parent meets it where it can be told
        return pack(None)


def pack(message: object) -> bytes:
    """Make bytes of a message. Raises what pickle does for what cannot be sent."""
    return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)


def unpack(data: bytes) -> list[Parsed] | None:
    """Read an answer."""
    answer: list[Parsed] | None = pickle.loads(data)  # noqa: S301 both ends are ours
    return answer


def send(pipe: BinaryIO, data: bytes) -> None:
    """Write one message. Raises OSError when the other end is gone."""
    pipe.write(len(data).to_bytes(_HEAD))
    pipe.write(data)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes:
    """Read one message. Raises EOFError when the other end is gone."""
    head = pipe.read(_HEAD)
    size = int.from_bytes(head)
    data = pipe.read(size)
    if len(head) < _HEAD or len(data) < size:
        raise EOFError
    return data


if __name__ == "__main__":
    main()
