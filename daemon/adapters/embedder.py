"""Embeddings from a child process that is started on demand and ends when idle."""

import logging
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from daemon.adapters.embed_protocol import Start, receive, receive_json, send_json
from daemon.child_environment import child_environment
from daemon.model.errors import ModelError
from daemon.model.late import LateModule
from daemon.model_files import model_name
from daemon.ports import Vectors

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

_log = logging.getLogger(__name__)

_WORKER = "daemon.adapters.embed_worker"
_TEXTS_A_FRAME = 64
_LINES_KEPT = 20
_GRACE_SECONDS = 5.0  # for a child to end after it was hung up on


class ChildEmbedder:
    """Starts `embed_worker` when there is something to embed; several threads may share it.

    `threads` 0 leaves one core free where there are more than two. A child that dies is started
    once more; one that dies again, and a model that cannot be had, raise ModelError.
    """

    def __init__(
        self,
        model: str,
        model_path: Path | None = None,
        *,
        idle_seconds: float = 120.0,
        threads: int = 0,
        allow_download: bool = True,
    ) -> None:
        self._name = model_name(model, model_path)
        self._start = Start(
            model=model,
            model_path=str(model_path) if model_path is not None else "",
            threads=threads or _usual_threads(),
            idle_seconds=idle_seconds,
            allow_download=allow_download,
        )
        self._child: _Child | None = None
        self._lock = threading.Lock()
        self.on_download: Callable[[str], None] = lambda _model: None  # before it begins

    @property
    def model(self) -> str:
        return self._name

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        child = self._child
        return child.pid if child is not None and child.alive else None

    def warm_up(self) -> None:
        """Start the child without waiting for it, when it will be needed soon."""
        with self._lock:
            self._running()

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Return `(n, d)` float32 vectors of unit length, in the order of `texts`.

        Texts of like length go together, which is fastest; the same texts always go in the same
        way. Raises ModelError.
        """
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: (-len(texts[at]), texts[at]))
        blocks = []
        with self._lock:
            for at in range(0, len(order), _TEXTS_A_FRAME):
                frame = order[at : at + _TEXTS_A_FRAME]
                blocks.append(self._ask([texts[number] for number in frame]))
                if progress is not None:
                    progress(len(frame))
        sorted_vectors = np.concatenate(blocks)
        vectors = np.empty_like(sorted_vectors)
        vectors[order] = sorted_vectors
        return vectors

    def close(self) -> None:
        """End the child, if one runs."""
        with self._lock:
            self._end()

    def _ask(self, texts: list[str]) -> Vectors:
        for is_last in (False, True):
            try:
                return self._running().ask(texts)
            except (EOFError, OSError) as error:
                # It may have gone idle this very moment, or crashed: once is no reason to give up.
                why = self._child.last_words() if self._child is not None else str(error)
                self._end()
                if is_last:
                    raise ModelError(f"the embedding process ended: {why}") from error
                _log.info("starting the embedding process again, it ended: %s", why)
            except BaseException:
                self._end()  # half an answer may still be in the pipe
                raise
        raise AssertionError

    def _running(self) -> "_Child":
        if self._child is None or not self._child.alive:
            self._end()
            self._child = _Child(self._start, self._note_download)
        return self._child

    def _note_download(self, model: str) -> None:
        self.on_download(model)

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """One run of the worker, and the pipes to it."""

    def __init__(self, start: Start, on_download: Callable[[str], None]) -> None:
        self._on_download = on_download
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(start.threads),
        )
        self._ready = False
        self._loud = False  # whether the user should see what the child says on stderr
        self._telling = threading.Lock()
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._listener = threading.Thread(target=self._listen, daemon=True, name="embed-stderr")
        self._listener.start()
        try:
            send_json(self._stdin, asdict(start))
        except OSError:
            _log.debug("the embedding process ended at once")  # `ask` finds out and says why

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def _stdin(self) -> BinaryIO:
        return _pipe(self._process.stdin)

    @property
    def _stdout(self) -> BinaryIO:
        return _pipe(self._process.stdout)

    def ask(self, texts: list[str]) -> Vectors:
        """Raises EOFError or OSError when the child is gone, ModelError for what it reports."""
        while not self._ready:
            self._greet(self._answer())
        send_json(self._stdin, texts)
        answer = self._answer()
        data = receive(self._stdout)
        vectors = np.frombuffer(data, dtype="<f4").reshape(answer["rows"], answer["columns"])
        if len(vectors) != len(texts):
            raise ModelError("the embedding process returned another number of vectors than texts")
        return vectors

    def last_words(self) -> str:
        """Why it ended: the last line it said, or how it was killed."""
        code = self._process.wait()
        self._listener.join(_GRACE_SECONDS)
        said = next((line for line in reversed(self._lines) if line.strip()), "")
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}: {said.strip()}" if said else how

    def end(self) -> None:
        """Hang up, and make sure that it is gone."""
        for pipe in (self._stdin, self._stdout):
            try:
                pipe.close()
            except OSError:
                _log.debug("the embedding process was gone already")
        self._process.terminate()
        try:
            self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join(_GRACE_SECONDS)

    def _answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = receive_json(self._stdout)
        if "error" in answer:
            raise ModelError(str(answer["error"]))
        return answer

    def _greet(self, answer: dict[str, Any]) -> None:
        self._ready = "ready" in answer
        if "download" in answer:
            self._on_download(answer["download"])
            _log.warning("downloading the embedding model %s, this once", answer["download"])
            with self._telling:
                self._loud = True
                _tell("\n".join(self._lines))

    def _listen(self) -> None:
        """Keep the last lines of stderr; pass them on while a download shows its progress."""
        stderr = _pipe(self._process.stderr)
        with stderr:
            while data := os.read(stderr.fileno(), 4096):
                text = data.decode("utf-8", "replace")
                with self._telling:
                    self._lines.extend(text.replace("\r", "\n").splitlines())
                    if self._loud:
                        _tell(text)
        self._process.wait()  # so that a child that went idle does not linger as a zombie


def _tell(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _pipe(pipe: Any) -> BinaryIO:
    stream: BinaryIO = pipe
    return stream


def _environment(threads: int) -> dict[str, str]:
    """The child's environment: few threads, and no keys."""
    return {
        **child_environment(),
        "PYTHONUNBUFFERED": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        # On a busy machine, threads that spin while they wait for each other take eight times the
        # processor that the work itself takes.
        "OMP_WAIT_POLICY": "PASSIVE",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }


def _usual_threads() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max((cores or 1) - 1, 1) if (cores or 1) > 2 else cores or 1
