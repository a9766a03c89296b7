"""The parsing process: files in, rows out, over pipes. It exits when its parent closes them.

Started as `daemon.index.parse_worker` by `parallel`. The first message is the adapter, the next are
lists of files; each list is answered with their content, or with None if that is impossible here:
the parent then parses the files itself, and meets the same error. The parent is trusted and sends
pickles; the answers are JSON, as a note may have compromised this process.
"""

import gc
import json
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from daemon.index.parse import Parsed, Wanted, parse_file
from daemon.model.notes import StoredNote
from daemon.store.rows import fits
from vault_adapters.base import VaultAdapter

_HEAD = 8  # bytes of a message's length
# new objects before garbage collection, and thresholds of older generations
_COLLECTED = (50_000, 20, 20)


def main() -> None:
    """Serve the parent until it closes the pipe, which is also how its death is noticed."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # output that a library prints is not an answer
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        with collecting_less():
            serve(sys.stdin.buffer, answers)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # data left in the buffer is for nobody


@contextmanager
def collecting_less() -> Iterator[None]:
    """Collect garbage more rarely than Python's default.

    Hardly any of the thousands of rows is part of a cycle, and the search takes a twentieth of the
    time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*_COLLECTED)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every list of files. Raises EOFError or BrokenPipeError if the parent is gone."""
    adapter: VaultAdapter = pickle.loads(receive(requests))  # noqa: S301 the parent is ours
    while True:
        send(answers, _answer(adapter, pickle.loads(receive(requests))))  # noqa: S301


def _answer(adapter: VaultAdapter, files: list[Wanted]) -> bytes:
    try:
        return to_message([parse_file(adapter, file) for file in files])
    except Exception:  # noqa: BLE001 any error: the parent meets it where it can be reported
        return to_message(None)


def pack(message: object) -> bytes:
    """Serialise a request. Raises pickle's errors for what cannot be pickled."""
    return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)


def to_message(parsed: list[Parsed] | None) -> bytes:
    """Serialise an answer."""
    return json.dumps(parsed, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpack(data: bytes, files: Sequence[Wanted]) -> list[Parsed] | None:
    """Parse the answer about `files`; None if it is invalid, or is about something else."""
    try:
        answer = json.loads(data.decode("utf-8", "surrogatepass"))
        parsed = [Parsed(digest, _rows(rows), says) for digest, rows, says in answer]
    except (ValueError, TypeError, RecursionError):
        return None
    if len(parsed) != len(files):
        return None
    asked = zip(parsed, files, strict=True)
    return parsed if all(each.rows is None or _is_of(each, file) for each, file in asked) else None


def _rows(rows: list[Any] | None) -> StoredNote | None:
    if rows is None:
        return None
    note, links, chunks, words = rows
    of_links, of_chunks, of_words = (tuple(map(tuple, each)) for each in (links, chunks, words))
    found = StoredNote(tuple(note), of_links, of_chunks, of_words)
    if not fits(found):
        raise ValueError
    return found


def _is_of(parsed: Parsed, wanted: Wanted) -> bool:
    path, rows = wanted.file.path, parsed.rows
    return rows is not None and rows.path == path and all(link[0] == path for link in rows.links)


def send(pipe: BinaryIO, data: bytes) -> None:
    """Write one message. Raises OSError if the other end is gone."""
    pipe.write(len(data).to_bytes(_HEAD))
    pipe.write(data)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes:
    """Read one message. Raises EOFError if the other end is gone."""
    head = pipe.read(_HEAD)
    size = int.from_bytes(head)
    data = pipe.read(size)
    if len(head) < _HEAD or len(data) < size:
        raise EOFError
    return data


if __name__ == "__main__":
    main()
