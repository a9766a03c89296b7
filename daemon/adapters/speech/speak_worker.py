"""The work of a process that speaks a script, with any engine.

It reads the job as JSON from stdin and writes lines of JSON to stdout: its progress, then the
result. Exit 1 with one line on stderr if it cannot be done. It is confined: it reads libraries and
voices, and writes into its work folder only.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from daemon.adapters.speech import sound, tags
from daemon.adapters.speech.speaking import Samples, Speaking, SpeakingError
from daemon.confinement.child import missing
from daemon.model.audio import AudioFormat

_BETWEEN_LINES, _BETWEEN_VOICES, _BETWEEN_CHAPTERS = 0.45, 0.7, 1.4  # seconds
_END = 0.8
_LOW_PRIORITY = 10
Build = Callable[[Sequence[Path], Mapping[str, Path], Path], Speaking]
"""Loads an engine: its model, its voices by name, and a work folder."""


def run(build: Build) -> int:
    """Speak once, with the engine that `build` loads."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this
    with suppress(OSError):
        os.nice(_LOW_PRIORITY)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output that a library prints must not mix with the answers
    job = json.load(sys.stdin)

    def send(message: Any) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    try:
        send(_speak(job, send, build))
    except (SpeakingError, OSError, ValueError, RuntimeError) as error:
        sys.stderr.write(f"{' '.join(str(error).split()) or type(error).__name__}\n")
        return 1
    return 0


def _speak(job: Mapping[str, Any], send: Callable[[Any], None], build: Build) -> dict[str, Any]:
    """Speak all chapters into one file, and return what was made."""
    work = Path(job["work"])
    voices = {name: Path(path) for name, path in job["voice_files"].items()}
    model = [Path(each) for each in job["model"]]
    engine = build(model, voices, work)
    total = sum(len(line["text"]) for each in job["chapters"] for line in each["lines"])
    parts: list[Samples] = []
    starts: list[float] = []
    done = length = 0
    for chapter in job["chapters"]:
        if parts:
            parts.append(sound.silence(_BETWEEN_CHAPTERS))
            length += parts[-1].size
        starts.append(length / sound.RATE)
        for place, line in enumerate(chapter["lines"]):
            pause = _pause(chapter["lines"], place)
            spoken = _line(engine, line, job)
            parts += [pause, spoken]
            length += pause.size + spoken.size
            done += len(line["text"])
            send([done, total, chapter["title"]])
    parts.append(sound.silence(_END))
    return _filed(job, work, parts, starts)


def _pause(lines: list[dict[str, Any]], place: int) -> Samples:
    if place == 0:
        return sound.silence(0)
    is_other = lines[place]["voice"] != lines[place - 1]["voice"]
    return sound.silence(_BETWEEN_VOICES if is_other else _BETWEEN_LINES)


def _line(engine: Speaking, line: Mapping[str, Any], job: Mapping[str, Any]) -> Samples:
    voices = job["voices"]
    voice = voices[min(line["voice"], len(voices) - 1)]
    spoken = engine.say(line["text"], voice, job["speed"], line["language"])
    return sound.at_rate(spoken, engine.rate)


def _filed(
    job: Mapping[str, Any], work: Path, parts: list[Samples], starts: list[float]
) -> dict[str, Any]:
    samples, levels = sound.levelled(parts)
    form = AudioFormat(job["format"])
    path = work / f"episode{form.suffix}"
    sound.write(path, samples, form)
    seconds = samples.size / sound.RATE
    chapters = [
        tags.Mark(start, each["title"]) for start, each in zip(starts, job["chapters"], strict=True)
    ]
    tags.add(path, form, job["tags"], chapters, seconds)
    return {
        "seconds": round(seconds, 3),
        "size": path.stat().st_size,
        "starts": [round(each, 3) for each in starts],
        "loudness": round(levels.loudness, 2),
        "peak": round(levels.peak, 2),
        "unconfined": missing,
    }
