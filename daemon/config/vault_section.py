"""Settings of the vault: its inbox and notes, the index, embeddings, the analysis, the library."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from daemon.config.section import OnPage, Section, absolute, at_home, require_path
from daemon.model.finding import InboxLayout

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
# Characters that end a wikilink, or part it.
_UNLINKABLE = frozenset("[]#^|\0\n\r\t")

FolderPath = Annotated[Path | None, BeforeValidator(require_path), AfterValidator(absolute)]


class InboxSettings(Section):
    """The folder that Lacuna writes to."""

    folder: str = Field(
        default="Inbox/Research",
        description="The only folder in the vault that Lacuna writes to.",
    )
    layout: OnPage[InboxLayout] = Field(
        default=InboxLayout.FLAT,
        description="Where findings are written: `flat`, in the inbox itself, or `runs`, in one"
        " folder for each run.",
    )
    delete_grace_hours: OnPage[float] = Field(
        default=24.0,
        ge=0,
        le=8760,
        description="Hours until a deleted finding counts as dismissed.",
    )

    @field_validator("folder")
    @classmethod
    def _is_inside(cls, value: str) -> str:
        parts = value.replace("\\", "/").strip("/").split("/")
        if value.startswith(("/", "~")) or any(part in ("", ".", "..") for part in parts):
            raise ValueError("must be a folder inside the vault, such as Inbox/Research")
        if any(part.startswith(".") for part in parts):
            raise ValueError("must not be hidden: note-taking tools do not show such folders")
        if odd := _UNLINKABLE.intersection(value):
            raise ValueError(f"must not contain {min(odd)!r}: links cannot contain it")
        return "/".join(parts)


class NotesSettings(Section):
    """Which folders of the vault are special."""

    templates: tuple[str, ...] = Field(
        default=(),
        description="Template folders, in addition to those in the vault's settings.",
    )
    daily_notes: tuple[str, ...] = Field(
        default=(),
        description="Folders of daily notes, in addition to those in the vault's settings.",
    )
    exclude: tuple[str, ...] = Field(default=(), description="Folders to exclude from analysis.")


class IndexSettings(Section):
    """When changes of notes are indexed."""

    debounce_seconds: OnPage[float] = Field(
        default=2.0,
        ge=0.05,
        le=3600,
        description="Seconds without a change before a changed note is read.",
    )
    rescan_minutes: OnPage[float] = Field(
        default=30.0,
        ge=0.01,
        le=10_080,
        description="Minutes between full scans for missed changes.",
    )


class EmbeddingSettings(Section):
    """The model that turns text into vectors, and the process that runs it."""

    model: str = Field(
        default=DEFAULT_MODEL, description="The sentence-transformers model for embeddings."
    )
    model_path: FolderPath = Field(default=None, description="The folder with the model's files.")
    backend: OnPage[Literal["auto", "torch", "onnx"]] = Field(
        default="auto",
        description="The embedding backend: torch; onnx (an int8 copy of the model, made on this"
        " machine and compared with the original); auto: the faster of the two.",
    )
    idle_seconds: OnPage[float] = Field(
        default=120.0,
        ge=0,
        le=86_400,
        description="Seconds of idleness after which the embedding process ends.",
    )
    threads: OnPage[int] = Field(
        default=0, ge=0, le=1024, description="Threads for embedding; 0: all cores but one."
    )


class AnalysisSettings(Section):
    """How gaps in the vault are found."""

    similarity_threshold: OnPage[float] = Field(
        default=0.80,
        gt=0,
        le=1,
        description="Cosine similarity from which two notes are similar.",
    )
    stale_days: OnPage[int] = Field(
        default=365,
        ge=1,
        le=36_500,
        description="Days without an edit after which a note is stale.",
    )


class LibrarySettings(Section):
    """Your own documents."""

    folder: FolderPath = Field(
        default=None,
        description="A folder of your own documents (md, html, txt, pdf, epub, docx) to search.",
    )
    extra: tuple[Path, ...] = Field(
        default=(),
        description="More folders and single files of your library; they stay where they are.",
    )

    @field_validator("extra")
    @classmethod
    def _are_paths(cls, values: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(at_home(value).absolute() for value in values)


class MachineSettings(Section):
    """Several machines on one synced vault."""

    allow_others: bool = Field(
        default=True,
        description="Allow other machines to run Lacuna on the same synced vault: each keeps a"
        " small note with its heartbeat in the inbox, and one of them researches.",
    )
