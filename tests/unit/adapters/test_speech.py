"""Speech in a confined process: what is said can be heard, at one loudness, with chapters."""

import json
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from daemon.adapters.speech import sound, tags
from daemon.adapters.speech.child_speaker import ChildSpeaker
from daemon.adapters.speech.speaking import Samples
from daemon.audio.spelling import spelled
from daemon.model.audio import (
    AudioFormat,
    Engine,
    EngineChoice,
    Line,
    Script,
    ScriptChapter,
    Speech,
    SpeechOptions,
)
from daemon.model.errors import LacunaError, StoppedError
from daemon.ports import Stop
from daemon.speech_files import engine_states
from tests.fakes.speech import heard, needs_espeak

PHRASES = [
    "three point five percent", "eighteen fifty two", "sixty degrees celsius",
    "one thousand two hundred thirty four",
]  # fmt: skip
WRITTEN_IN = ["3.5%", "in 1852", "60 °C", "1,234"]
OPTIONS = SpeechOptions(("en-us", "en-gb-x-rp"), 0.9, AudioFormat.OPUS, "Lacuna: ✓", "2026-11-23")


def script_of(*texts: str) -> Script:
    chapters = tuple(
        ScriptChapter(f"Chäpter {text}", (Line(0, f"{spelled(text)}."),)) for text in texts
    )
    return Script("audio-1", "Tïtle ✓", "", chapters)


def speaker(choice: EngineChoice = EngineChoice.ESPEAK) -> ChildSpeaker:
    return ChildSpeaker(choice, None, None)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Speech, list[tuple[int, int]]]:
    """Four numbers, each a chapter, spoken by espeak-ng."""
    folder, progress = tmp_path_factory.mktemp("speaking"), list[tuple[int, int]]()
    path, speech = speaker().speak(
        script_of(*WRITTEN_IN),
        OPTIONS,
        folder,
        lambda done, total, _what: progress.append((done, total)),
        Stop(),
    )
    return path, speech, progress


@needs_espeak
def test_what_is_spoken_is_heard_in_its_chapter_in_each_format(
    spoken: tuple[Path, Speech, object],
) -> None:
    path, speech, _ = spoken
    among = [*PHRASES, "in eighteen fifty two", "three percent", "sixteen degrees", "one thousand"]
    expected = [PHRASES[0], "in eighteen fifty two", *PHRASES[2:]]
    assert heard(path, among, speech.starts) == expected
    samples, _ = soundfile.read(path, dtype="float32")
    copy = path.with_name("copy.mp3")
    sound.write(copy, samples, AudioFormat.MP3)
    assert heard(copy, among, speech.starts) == expected


@needs_espeak
def test_a_file_has_one_loudness_no_clipping_and_silence_between_chapters(
    spoken: tuple[Path, Speech, object],
) -> None:
    path, speech, _ = spoken
    samples, rate = soundfile.read(path, dtype="float32")
    assert speech.size == path.stat().st_size
    assert math.isclose(samples.size / rate, speech.seconds, abs_tol=0.1)
    assert abs(sound.loudness_of(samples, rate) - sound.LOUDNESS) < 1.5
    assert np.abs(samples).max() < 0.99
    for start in speech.starts[1:]:
        before = samples[int((start - 1.0) * rate) : int((start - 0.2) * rate)]
        assert np.abs(before).max() < 0.01


@needs_espeak
def test_progress_counts_characters_to_the_end(
    spoken: tuple[Path, Speech, list[tuple[int, int]]],
) -> None:
    total = sum(len(spelled(text)) + 1 for text in WRITTEN_IN)
    assert [each for _, each in spoken[2]] == [total] * len(WRITTEN_IN)
    assert [done for done, _ in spoken[2]][-1] == total
    assert spoken[1].engine is Engine.ESPEAK


@needs_espeak
def test_a_stop_ends_speaking_and_leaves_no_file(tmp_path: Path) -> None:
    stop, long = Stop(), script_of(*["One more sentence that is spoken."] * 40)
    with pytest.raises(StoppedError):
        speaker().speak(long, OPTIONS, tmp_path, lambda *_: stop.request(), stop)
    assert not list(tmp_path.iterdir())


@needs_espeak
def test_an_unknown_voice_is_one_line(tmp_path: Path) -> None:
    options = SpeechOptions(("klingon-nobody",), 1.0, AudioFormat.OPUS, "", "")
    with pytest.raises(LacunaError, match="espeak-ng has no voice called klingon-nobody"):
        speaker().speak(script_of("One."), options, tmp_path, lambda *_: None, Stop())


def test_an_engine_that_is_not_installed_says_what_it_needs(tmp_path: Path) -> None:
    states = {each.engine: each for each in engine_states(tmp_path, tmp_path)}
    assert [*states] == [Engine.KOKORO, Engine.PIPER, Engine.ESPEAK]
    for engine in (Engine.KOKORO, Engine.PIPER):
        assert states[engine].files is None
        assert "pip install" in states[engine].why or str(tmp_path) in states[engine].why


def noise(seconds: float, level: float) -> Samples:
    values = np.random.default_rng(1).standard_normal(round(seconds * sound.RATE))
    return (values * level).astype(np.float32)


@pytest.mark.parametrize("level", [0.001, 0.05, 0.5])
def test_quiet_and_loud_speech_end_at_the_same_loudness(level: float) -> None:
    whole, levels = sound.levelled([noise(2, level), sound.silence(0.5), noise(2, level)])
    assert abs(levels.loudness - sound.LOUDNESS) < 1
    assert levels.peak <= -1.4
    assert whole.size == round(4.5 * sound.RATE)


def test_silence_stays_silence() -> None:
    whole, levels = sound.levelled([sound.silence(2)])
    assert not whole.any()
    assert levels.loudness <= -70


def test_silence_at_both_ends_of_a_line_is_cut_and_its_rate_is_changed() -> None:
    spoken_line = np.concatenate([np.zeros(22_050), noise(1, 0.1)[:22_050], np.zeros(22_050)])
    found = sound.at_rate(spoken_line.astype(np.float32), 22_050)
    assert abs(found.size / sound.RATE - 1) < 0.01


@pytest.mark.parametrize("form", list(AudioFormat))
def test_tags_and_chapters_are_read_back_by_another_program(
    tmp_path: Path, form: AudioFormat
) -> None:
    path = tmp_path / f"x{form.suffix}"
    sound.write(path, noise(4, 0.1), form)
    before, _ = soundfile.read(path)
    marks = [tags.Mark(0, "Ëins"), tags.Mark(1.5, "Zwei ✓"), tags.Mark(3, "=;\n")]
    tags.add(path, form, {"title": "Tïtle ✓", "artist": "Lacuna", "date": "2026-11-23"}, marks, 4)
    after, _ = soundfile.read(path)
    assert np.array_equal(before, after)
    if shutil.which("ffprobe") is None:
        pytest.skip("ffprobe is not installed; that the file decodes was tested")
    shown = subprocess.run(
        ["ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams",
         "-show_chapters", path], check=True, capture_output=True,
    )  # fmt: skip
    assert not shown.stderr
    found = json.loads(shown.stdout)
    named = {**found["format"].get("tags", {}), **found["streams"][0].get("tags", {})}
    assert {key.lower(): value for key, value in named.items()}["title"] == "Tïtle ✓"
    assert [float(each["start_time"]) for each in found["chapters"]] == [0, 1.5, 3]
    assert [each["tags"]["title"] for each in found["chapters"]][:2] == ["Ëins", "Zwei ✓"]


def test_a_file_that_is_no_ogg_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.ogg"
    path.write_bytes(b"RIFF" + bytes(100))
    with pytest.raises(ValueError, match="not an Ogg file"):
        tags.add(path, AudioFormat.OPUS, {}, [], 1)


def test_many_chapters_with_long_titles_fit_or_are_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.ogg"
    sound.write(path, noise(1, 0.1), AudioFormat.OPUS)
    data = path.read_bytes()
    few = [tags.Mark(n / 100, "x" * 100) for n in range(100)]
    tags.add(path, AudioFormat.OPUS, {}, few, 1)
    assert soundfile.info(path).frames > 0
    path.write_bytes(data)
    with pytest.raises(ValueError, match="longer than a page"):
        tags.add(path, AudioFormat.OPUS, {}, [tags.Mark(0, "x" * 1000)] * 255, 1)
    assert path.read_bytes() == data
