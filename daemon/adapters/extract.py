"""Bytes to text: parsers of hostile documents run in a child process that may crash or hang."""

import contextlib
import json
import logging
import os
import subprocess
import threading
from collections.abc import Iterator
from math import inf
from pathlib import PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from daemon.confinement.child import command
from daemon.model.errors import ExtractError, StoppedError
from daemon.ports import Extracted, Extractor

_log = logging.getLogger(__name__)

# Raised when what a document is read to changes, so that older readings are not reused.
EXTRACTOR_VERSION = 5
STARTUP_SECONDS = 60.0
_FEED = 10.0  # seconds; a feed is read far faster than a book
_WORKER = "daemon.adapters.extract_worker"
_SUFFIXES = {
    ".pdf": "pdf",
    ".epub": "epub",
    ".docx": "docx",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
}
_TYPES = {
    "application/pdf": "pdf",
    "application/epub+zip": "epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/x-pdf": "pdf",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/plain": "text",
    "text/html": "html",
    "application/xhtml+xml": "html",
}
# What the child gets of the environment: enough to run, and none of the user's keys.
_ENVIRONMENT = (
    "DYLD_LIBRARY_PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH",
    "PYTHONPATH", "TMPDIR", "TZ", "VIRTUAL_ENV",
)  # fmt: skip


class ExtractorDiedError(ExtractError):
    """The child ended or was ended: it says nothing lasting about the document."""


def kind_of(body: bytes, *, content_type: str, url: str) -> str:
    """Tell `pdf`, `epub`, `docx`, `html`, `markdown` or `text`, by bytes, then type, then name.

    Raises ExtractError for anything else.
    """
    start = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n\x00")
    if b"%PDF-" in body[:1024]:
        return "pdf"
    if body[30:58] == b"mimetypeapplication/epub+zip":
        return "epub"
    media = content_type.partition(";")[0].strip().lower()
    suffix = PurePosixPath(unquote(urlsplit(url).path)).suffix.lower()
    kind = _TYPES.get(media) or _SUFFIXES.get(suffix)
    if kind == "text" and _SUFFIXES.get(suffix) == "markdown":
        return "markdown"
    if kind is None and start[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "html"
    if kind is None:
        raise ExtractError(f"no way to read {media or suffix or 'a document of unknown type'}")
    return kind


class ChildExtractor(Extractor):
    """Reads every document in a child process, started on demand.

    A document may take `timeout` seconds of time and of processor, and `memory` bytes; what takes
    more is given up, and the next document gets a fresh child. The child ends by itself after
    `idle_seconds` without work, and when this process ends. Threads take turns.
    """

    def __init__(
        self, *, timeout: float = 30.0, memory: int = 1_000_000_000, idle_seconds: float = 60.0
    ) -> None:
        self._timeout = timeout
        self._memory = memory
        self._idle = idle_seconds
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._unconfined: tuple[str, ...] = ()
        self._is_interrupted = False

    def extract(self, body: bytes, *, content_type: str, url: str) -> Extracted:
        """Take the main text. Raises ExtractError with the reason in words."""
        kind = kind_of(body, content_type=content_type, url=url)
        request = {"kind": kind, "content_type": content_type, "url": url}
        with self._lock:
            return extracted(self._ask(request, body))

    def feed(self, body: bytes) -> list[dict[str, Any]]:
        """Return the entries of an RSS or Atom feed. Raises ExtractError."""
        with self._lock:
            entries: list[dict[str, Any]] = self._ask({"kind": "feed"}, body, _FEED)["entries"]
            return entries

    def unconfined(self) -> tuple[str, ...]:
        """Start the child, and return what it could not be confined by. Raises ExtractError."""
        with self._lock:
            self._running()
            return self._unconfined

    def interrupt(self) -> None:
        """End the child in the midst of its work, and start none any more: for a process that ends.

        Needs no lock, so that a signal may call it; whoever waits for a document gets StoppedError.
        """
        self._is_interrupted = True
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """End the child, if one runs."""
        with self._lock:
            self._end()

    @property
    def child_pid(self) -> int | None:
        """The child's process id while one runs."""
        alive = self._child is not None and self._child.poll() is None
        return self._child.pid if self._child is not None and alive else None

    def _ask(self, request: dict[str, Any], body: bytes, most: float = inf) -> dict[str, Any]:
        seconds = min(self._timeout, most)
        message = {**request, "size": len(body), "cpu_seconds": seconds}
        head = json.dumps(message).encode() + b"\n"
        answer = self._once(head, body, seconds)
        if answer is None:  # it had just gone idle, or an earlier document had left it dying
            answer = self._once(head, body, seconds)
        if answer is None:
            raise ExtractorDiedError("the document crashed its reader, or needed too much of it")
        if "error" in answer:
            raise ExtractError(str(answer["error"]))
        return answer

    def _once(self, head: bytes, body: bytes, seconds: float) -> dict[str, Any] | None:
        """Put one request to a running child; None when the child died of it."""
        child = self._running()
        line = b""
        with _deadline(child, seconds) as late, contextlib.suppress(OSError):
            _pipe(child.stdin).write(head + body)
            _pipe(child.stdin).flush()
            line = _pipe(child.stdout).readline()
        if line.endswith(b"\n"):
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._end()
        if self._is_interrupted:
            raise StoppedError("the process that reads documents was ended")
        if late.is_set():
            raise ExtractorDiedError(f"reading the document took longer than {seconds:g} s")
        return None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is None:
            return self._child
        self._end()
        self._child = self._start()
        if self._is_interrupted:  # before there was a child to end
            self._end()
            raise StoppedError("the process that reads documents was ended")
        # So that a child that went idle does not linger as a zombie.
        threading.Thread(target=self._child.wait, daemon=True, name="extract-wait").start()
        with _deadline(self._child, STARTUP_SECONDS):
            ready = _pipe(self._child.stdout).readline()
        if not ready:
            self._end()
            raise ExtractorDiedError("the process that reads documents does not start")
        self._note_confinement(tuple(map(str, json.loads(ready)["unconfined"])))
        return self._child

    def _note_confinement(self, missing: tuple[str, ...]) -> None:
        if missing and missing != self._unconfined:
            why = "; ".join(missing)
            _log.warning("documents are read in a process that is not fully confined: %s", why)
        self._unconfined = missing

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                command(_WORKER, f"--memory={self._memory}", f"--idle={self._idle}"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us; the child ends with its stdin
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            )
        except OSError as error:
            raise ExtractorDiedError(f"no process to read it in: {error.strerror}") from None

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not sent can no longer be
                    pipe.close()
        child.wait()


def extracted(fields: dict[str, Any]) -> Extracted:
    """Build an Extracted from JSON's types."""
    return Extracted(
        text=str(fields["text"]),
        extracted_by=str(fields["extracted_by"]),
        title=str(fields.get("title", "")),
        authors=tuple(map(str, fields.get("authors", ()))),
        published=str(fields.get("published", "")),
        hidden=int(fields.get("hidden", 0)),
        wall=str(fields.get("wall", "")),
        venue=str(fields.get("venue", "")),
        publisher=str(fields.get("publisher", "")),
        doi=str(fields.get("doi", "")),
        arxiv_id=str(fields.get("arxiv_id", "")),
        url=str(fields.get("url", "")),
        places=tuple((int(at), str(name)) for at, name in fields.get("places", ())),
    )


@contextlib.contextmanager
def _deadline(child: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kill the child when the block takes longer; the event says that this happened."""
    late = threading.Event()

    def kill() -> None:
        late.set()
        child.kill()

    guard = threading.Timer(seconds, kill)
    guard.daemon = True
    guard.start()
    try:
        yield late
    finally:
        guard.cancel()


def _pipe(pipe: Any) -> BinaryIO:
    """Every child is started with both pipes; this says so to the type checker."""
    found: BinaryIO = pipe
    return found
