"""What is kept where: the vault, its index, the library, the models."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from daemon.config.section import Section
from daemon.model.finding import InboxLayout

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_SINGLE_PATHS = ("vault", "state", "library", "model_path", "retraction_watch")
PATHS = (*_SINGLE_PATHS, "library_extra")
# Characters that end a wikilink, or part it.
_UNLINKABLE = frozenset("[]#^|\0\n\r\t")


class VaultSettings(Section):
    """What is kept where: the vault, its index, the library, the models."""

    vault: Path | None = Field(default=None, description="The folder of notes.")
    inbox: str = Field(
        default="Inbox/Research",
        description="The only folder in the vault that Lacuna writes to.",
    )
    inbox_layout: InboxLayout = Field(
        default=InboxLayout.FLAT,
        description="Where findings are written: `flat`, in the inbox itself, or `runs`, in one"
        " folder for each run.",
    )
    state: Path | None = Field(
        default=None,
        description="The folder for the index and all runs.",
    )
    library: Path | None = Field(
        default=None,
        description="A folder of your own documents (md, html, txt, pdf, epub, docx) to search.",
    )
    library_extra: tuple[Path, ...] = Field(
        default=(),
        description="More folders and single files of your library; they stay where they are.",
    )
    retraction_watch: Path | None = Field(
        default=None,
        description="A copy of Retraction Watch's retraction_watch.csv; papers in it get a"
        " credibility of 0.",
    )
    templates: tuple[str, ...] = Field(
        default=(),
        description="Template folders, in addition to those in the vault's settings.",
    )
    daily_notes: tuple[str, ...] = Field(
        default=(),
        description="Folders of daily notes, in addition to those in the vault's settings.",
    )
    exclude: tuple[str, ...] = Field(default=(), description="Folders to exclude from analysis.")
    several_machines: bool = Field(
        default=True,
        description="Allow other machines to run Lacuna on the same synced vault: each keeps a"
        " small note with its heartbeat in the inbox, and one of them researches.",
    )
    settle_seconds: float = Field(
        default=2.0,
        ge=0.05,
        le=3600,
        description="Seconds without a change before a changed note is read.",
    )
    reconcile_minutes: float = Field(
        default=30.0,
        ge=0.01,
        le=10_080,
        description="Minutes between full scans for missed changes.",
    )
    model: str = Field(
        default=DEFAULT_MODEL, description="The sentence-transformers model for embeddings."
    )
    model_path: Path | None = Field(default=None, description="The folder with the model's files.")
    model_backend: Literal["auto", "torch", "onnx"] = Field(
        default="auto",
        description="The embedding backend: torch; onnx (an int8 copy of the model, made on this"
        " machine and compared with the original); auto: the faster of the two.",
    )
    embed_idle_seconds: float = Field(
        default=120.0,
        ge=0,
        le=86_400,
        description="Seconds of idleness after which the embedding process ends.",
    )
    embed_threads: int = Field(
        default=0, ge=0, le=1024, description="Threads for embedding; 0: all cores but one."
    )
    reranker: str = Field(
        default="auto",
        description="The cross-encoder that decides what answers a question: auto, off, or the"
        " absolute path of a folder with a model.",
    )
    meaning_similarity: float = Field(
        default=0.80,
        gt=0,
        le=1,
        description="Cosine from which two notes are similar.",
    )
    covered_similarity: float = Field(
        default=0.85,
        gt=0,
        le=1,
        description="Cosine from which the vault already covers a passage.",
    )
    stale_days: int = Field(
        default=365,
        ge=1,
        le=36_500,
        description="Days without an edit after which a note is stale.",
    )
    delete_grace_hours: float = Field(
        default=24.0,
        ge=0,
        le=8760,
        description="Hours until a deleted finding counts as dismissed.",
    )

    @field_validator("inbox")
    @classmethod
    def _inbox_is_inside(cls, value: str) -> str:
        parts = value.replace("\\", "/").strip("/").split("/")
        if value.startswith(("/", "~")) or any(part in ("", ".", "..") for part in parts):
            raise ValueError("must be a folder inside the vault, such as Inbox/Research")
        if any(part.startswith(".") for part in parts):
            raise ValueError("must not be hidden: note-taking tools do not show such folders")
        if odd := _UNLINKABLE.intersection(value):
            raise ValueError(f"must not hold {min(odd)!r}, which no link can name")
        return "/".join(parts)

    @field_validator("reranker")
    @classmethod
    def _is_a_reranker(cls, value: str) -> str:
        if value not in ("auto", "off") and not value.startswith(("/", "~/")):
            raise ValueError("must be auto, off, or the absolute path of a folder")
        return value

    @field_validator(*_SINGLE_PATHS, mode="before")
    @classmethod
    def _is_a_path(cls, value: object) -> object:
        if isinstance(value, str) and (not value.strip() or "\0" in value):
            raise ValueError("must be the path of a folder")
        return value

    @field_validator(*_SINGLE_PATHS)
    @classmethod
    def _is_absolute(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        path = _at_home(value).absolute()
        return path.resolve() if ".." in path.parts else path

    @field_validator("library_extra")
    @classmethod
    def _are_paths(cls, values: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(_at_home(value).absolute() for value in values)


def _at_home(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError(str(error).lower()) from None
