"""Audio: a script for one or two voices, and the speech that was made of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

KIND = "audio-script"  # value of the property `type`
NARRATOR, READER = 0, 1  # the voices of a script: the second reads quotes


class AudioFormat(StrEnum):
    """Formats of audio files."""

    OPUS = "opus"
    MP3 = "mp3"

    @property
    def suffix(self) -> str:
        """The suffix of a file; Obsidian plays Opus only as `.ogg`."""
        return ".ogg" if self is AudioFormat.OPUS else ".mp3"

    @property
    def media_type(self) -> str:
        return "audio/ogg" if self is AudioFormat.OPUS else "audio/mpeg"


class Engine(StrEnum):
    """What speaks, the best one first."""

    KOKORO = "kokoro"
    PIPER = "piper"
    ESPEAK = "espeak-ng"


class EngineChoice(StrEnum):
    """The engine of the settings."""

    AUTO = "auto"
    KOKORO = Engine.KOKORO.value
    PIPER = Engine.PIPER.value
    ESPEAK = Engine.ESPEAK.value


# Narrator and reader, of voices that speak English; of Piper, any that is there.
PREFERRED_VOICES: Mapping[Engine, tuple[str, ...]] = {
    Engine.KOKORO: ("af_heart", "am_michael"),
    Engine.PIPER: (),
    Engine.ESPEAK: ("en-us", "en-gb-x-rp"),
}


@dataclass(frozen=True, slots=True)
class SpeechFiles:
    """What an engine needs: `model` are files whose contents are joined; `voices` are name → file.

    For Piper each voice is a model; for espeak-ng `model` is its library, and it finds its voices
    itself.
    """

    engine: Engine
    model: tuple[Path, ...]
    voices: Mapping[str, Path]

    @property
    def preferred(self) -> tuple[str, ...]:
        """The voices that are used by default."""
        known = PREFERRED_VOICES[self.engine]
        if self.engine is Engine.ESPEAK:
            return known
        return tuple(name for name in known if name in self.voices) or tuple(self.voices)[:2]


@dataclass(frozen=True, slots=True)
class EngineState:
    """An engine: its files, or why it cannot speak."""

    engine: Engine
    files: SpeechFiles | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """What one voice says in one go, spelled as it is spoken. `language` is an ISO 639-1 code."""

    voice: int
    text: str
    language: str = "en"


@dataclass(frozen=True, slots=True)
class ScriptChapter:
    """A chapter of a script; `title` is its name in lists, unspelled."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """What is said. All text from documents is still untrusted.

    `id` depends on the content alone; `source` is the path of its note, "" for several. `is_cut`
    if a length limit removed chapters.
    """

    id: str
    title: str
    source: str
    chapters: tuple[ScriptChapter, ...]
    is_cut: bool = False

    def lines(self) -> Iterator[Line]:
        """Yield all lines in order."""
        for chapter in self.chapters:
            yield from chapter.lines

    @property
    def words(self) -> int:
        return sum(len(each.text.split()) for each in self.lines())


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """How a script is spoken. `voices` are names of the engine; empty: its own choice."""

    voices: tuple[str, ...]
    speed: float
    format: AudioFormat
    album: str
    date: str  # ISO 8601
    artist: str = "Lacuna"


@dataclass(frozen=True, slots=True)
class Speech:
    """An audio file that was made: `starts` are those of its chapters, in seconds.

    `loudness` is in LUFS (ITU-R BS.1770), `peak` in dBFS.
    """

    engine: Engine
    voices: tuple[str, ...]
    seconds: float
    size: int  # bytes
    starts: tuple[float, ...]
    loudness: float
    peak: float


@dataclass(frozen=True, slots=True)
class Episode:
    """An audio file in the inbox with its script. Paths are vault-relative."""

    id: str
    title: str
    path: str
    script_path: str
    feed_path: str
    text: str  # of the script's note
    is_new: bool
    speech: Speech | None  # None for an older one
