"""`lacuna audio`: how long each installed engine takes to speak four sentences.

The folders of voices are those of the settings.
"""

import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.measure import load
from bench.places import Places
from bench.table import Row
from daemon.adapters.speech.child_speaker import ChildSpeaker
from daemon.config import load_settings
from daemon.model.audio import (
    NARRATOR,
    READER,
    AudioFormat,
    Engine,
    EngineChoice,
    Line,
    Script,
    ScriptChapter,
    SpeechOptions,
)
from daemon.ports import Stop

_SCRIPT = Script(
    "bench",
    "Staling",
    "",
    (
        ScriptChapter(
            "Staling",
            (
                Line(NARRATOR, "Why does bread go stale in the fridge?"),
                Line(READER, "The starch in it forms crystals, fastest just above freezing."),
                Line(NARRATOR, "According to A. Baker, in twenty twenty-four:"),
                Line(READER, "Freeze bread in slices, and toast it from frozen."),
            ),
        ),
    ),
)


def rows(_places: Places) -> Iterator[Row]:
    settings = load_settings(None).audio
    for engine in Engine:
        choice = EngineChoice(engine.value)
        speaker = ChildSpeaker(choice, settings.kokoro_folder, settings.piper_folder)
        [state] = [each for each in speaker.states() if each.engine is engine]
        if not state.why:
            yield _spoken(speaker, engine)


def _spoken(speaker: ChildSpeaker, engine: Engine) -> Row:
    """Speak the script, the loading of the voice included."""
    options = SpeechOptions((), 1.0, AudioFormat.OPUS, "Bench", "2026-11-23")
    cpu, began = _cpu(), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="lacuna-bench-") as folder:
        _, speech = speaker.speak(_SCRIPT, options, Path(folder), lambda *_progress: None, Stop())
    took, used = time.perf_counter() - began, _cpu() - cpu
    return Row(
        f"four sentences by {engine}, {speech.seconds:.0f} s of audio",
        f"{took:.1f} s, CPU {used:.1f} s ({load()})",
        f"{speech.seconds:.1f} s of audio",
        f"{used / speech.seconds:.2f} of its length",
    )


def _cpu() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime
