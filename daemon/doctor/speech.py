"""Check what can speak; silent without the extra `audio`."""

from collections.abc import Iterator

from daemon.doctor.check import Check, Scene, passed
from daemon.doctor.faults import fault_of
from daemon.model.errors import LacunaError
from daemon.speech_files import missing_libraries


def speech(scene: Scene) -> Iterator[Check]:
    """Report what speaks, and what the engines before it need."""
    settings = scene.app.settings.audio
    is_wanted = settings.daily or settings.topical
    if missing_libraries() and not is_wanted:
        return
    speaker = scene.app.children.speaker
    try:
        found = speaker.chosen()
    except LacunaError as error:
        yield fault_of("speech-off", why=error)
        return
    others = "; ".join(f"{each.engine}: {each.why}" for each in speaker.states() if each.why)
    voices = ", ".join(settings.voices or found.preferred)
    yield passed("speech", f"{found.engine} ({voices}){f'; {others}' if others else ''}")
