"""The stages of an analysis, for its progress: each takes about as long as the others."""

from enum import IntEnum, auto

from daemon.model.progress import Progress


class Stage(IntEnum):
    """What an analysis does, in order."""

    READING_NOTES = 0
    COLLECTING_WORDS = auto()
    COMPARING_NOTES = auto()
    NAMING_CLUSTERS = auto()
    SEARCHING_FOR_GAPS = auto()
    WORDING_QUERIES = auto()


def begin(stage: Stage, progress: Progress) -> None:
    """Report that a stage begins, and how many are done."""
    progress(stage, len(Stage), stage.name.replace("_", " ").lower())
