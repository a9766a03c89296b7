"""Speech in a confined child process: Kokoro, Piper or espeak-ng."""

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryFile
from typing import Any

from daemon.child_environment import child_environment
from daemon.confinement.child import command
from daemon.model.audio import (
    Engine,
    EngineChoice,
    EngineState,
    Script,
    Speech,
    SpeechFiles,
    SpeechOptions,
)
from daemon.model.errors import LacunaError, StoppedError
from daemon.model.progress import Progress
from daemon.ports import Speaker, Stop
from daemon.speech_files import engine_states, missing_libraries

_WORKERS: Mapping[Engine, str] = {
    Engine.KOKORO: "daemon.adapters.speech.kokoro_engine",
    Engine.PIPER: "daemon.adapters.speech.piper_engine",
    Engine.ESPEAK: "daemon.adapters.speech.espeak_engine",
}
_POLL_SECONDS = 0.2
_ESPEAK_DATA = (
    *("/usr/share/espeak-ng-data", "/usr/local/share/espeak-ng-data"),
    *("/opt/homebrew/lib", "/opt/homebrew/share/espeak-ng-data"),
)


class ChildSpeaker(Speaker):
    """Speaks a script into a file, one at a time."""

    def __init__(
        self, choice: EngineChoice, kokoro_folder: Path | None, piper_folder: Path | None
    ) -> None:
        self._choice = choice
        self._folders = kokoro_folder, piper_folder
        self._process: subprocess.Popen[bytes] | None = None
        self._is_interrupted = False

    def states(self) -> list[EngineState]:
        """Return the state of each engine, in the order in which they are tried."""
        return engine_states(*self._folders)

    def chosen(self) -> SpeechFiles:
        """Return the engine that speaks. Raises LacunaError if there is none."""
        if missing := missing_libraries():
            raise LacunaError(
                f"audio needs {', '.join(missing)}: pip install 'lacuna-daemon[audio]'"
            )
        states = self.states()
        wanted = [each for each in states if self._choice in (EngineChoice.AUTO, each.engine.value)]
        found = next((each.files for each in wanted if each.files is not None), None)
        if found is None:
            why = "; ".join(f"{each.engine}: {each.why}" for each in wanted)
            raise LacunaError(f"nothing can speak on this machine: {why}")
        return found

    def speak(
        self, script: Script, options: SpeechOptions, folder: Path, progress: Progress, stop: Stop
    ) -> tuple[Path, Speech]:
        """Speak a script into a file in `folder`, an empty folder that exists; return the file.

        Raises LacunaError if nothing can speak, StoppedError.
        """
        files = self.chosen()
        voices = _voices(files, options.voices)
        needed = {name: path for name, path in files.voices.items() if name in voices}
        job = {
            "engine": files.engine.value,
            "model": [*map(str, files.model)],
            "voice_files": {name: str(path) for name, path in needed.items()},
            "voices": voices,
            "speed": options.speed,
            "format": options.format.value,
            "tags": {
                "title": script.title,
                "artist": options.artist,
                "album": options.album,
                "date": options.date,
                "genre": "Podcast",
            },
            "chapters": [asdict(each) for each in script.chapters],
            "work": str(folder),
        }
        readable = [*files.model, *needed.values(), *_beside(needed.values()), *_data_of(files)]
        made = self._run(job, readable, folder, progress, stop)
        speech = Speech(
            files.engine,
            tuple(voices),
            made["seconds"],
            made["size"],
            tuple(made["starts"]),
            made["loudness"],
            made["peak"],
        )
        return folder / f"episode{options.format.suffix}", speech

    def interrupt(self) -> None:
        """Stop speaking, and start no other: for a process that is shutting down. A signal handler
        may call it.
        """
        self._is_interrupted = True
        process = self._process
        if process is not None:
            process.kill()

    def _run(
        self,
        job: Mapping[str, Any],
        readable: Sequence[Path],
        folder: Path,
        progress: Progress,
        stop: Stop,
    ) -> dict[str, Any]:
        with TemporaryFile() as complaints:
            process = subprocess.Popen(
                command(_WORKERS[Engine(job["engine"])], readable=readable, writable=[folder]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,  # Ctrl-C is for us
                env={**child_environment(), "TMPDIR": str(folder), "OPENBLAS_NUM_THREADS": "1"},
            )
            self._process = process
            try:
                last = _exchange(process, job, progress, stop)
            finally:
                process.kill()
                process.wait()
                self._process = None
            if self._is_interrupted:
                raise StoppedError("speaking was stopped")
            if not isinstance(last, dict):
                complaints.seek(0)
                raise LacunaError(f"{job['engine']} could not speak: {_last(complaints.read())}")
            return last


def _voices(files: SpeechFiles, wanted: Sequence[str]) -> list[str]:
    """Return the voices to use. Raises LacunaError for an unknown one."""
    names = [*(wanted or files.preferred)]
    if files.engine is not Engine.ESPEAK:
        unknown = [name for name in names if name not in files.voices]
        if unknown:
            known = ", ".join(files.voices)
            raise LacunaError(f"{files.engine} has no voice {unknown[0]}; it has {known}")
    return names


def _exchange(
    process: subprocess.Popen[bytes], job: Mapping[str, Any], progress: Progress, stop: Stop
) -> Any:
    """Send the job, pass progress on, and return the last line. Raises StoppedError."""
    assert process.stdin is not None  # noqa: S101 it was started with a pipe
    assert process.stdout is not None  # noqa: S101 as above
    with process.stdin, process.stdout, DefaultSelector() as selector:
        try:
            process.stdin.write(json.dumps(job).encode())
            process.stdin.close()
        except BrokenPipeError:  # it has ended, and says why
            return None
        selector.register(process.stdout, EVENT_READ)
        last: Any = None
        while True:
            stop.check()
            if not selector.select(_POLL_SECONDS):
                continue
            line = process.stdout.readline()  # whole: the worker flushes lines
            if not line:
                return last
            last = json.loads(line)
            if isinstance(last, list):
                progress(*last)


def _beside(voices: Iterable[Path]) -> list[Path]:
    """Return the descriptions of Piper's voices."""
    return [path.with_name(f"{path.name}.json") for path in voices if path.suffix == ".onnx"]


def _data_of(files: SpeechFiles) -> list[Path]:
    """Return where espeak-ng has its data, besides the libraries' folders."""
    if files.engine is not Engine.ESPEAK:
        return []
    return [path for path in map(Path, _ESPEAK_DATA) if path.exists()]


def _last(complaint: bytes) -> str:
    lines = complaint.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it ended"
