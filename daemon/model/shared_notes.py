"""What a vault publishes to a hub, as it is sent. Needs no part of the hub."""

from base64 import b64decode, b64encode
from typing import Annotated, TypeAlias

from pydantic import Field

from daemon.model.arrays import np
from daemon.model.encodable import encodable
from daemon.model.errors import HubError
from daemon.model.shared_findings import Sent, SharedFinding

DIMENSIONS = 384  # of the default embedding model
MAX_NOTES = 500  # in a batch
MAX_CHUNKS = 5_000  # of a note
MAX_WANTED = 1_000  # names of a note
MAX_TEXT = 20_000  # characters of a chunk
MAX_NAME, MAX_PATH = 300, 1_000  # characters

Vector16: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.float16]]"
Path = Annotated[str, Field(min_length=1, max_length=MAX_PATH)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


class SharedChunk(Sent):
    """A chunk; `text` is None where the owner shares only embeddings."""

    heading: str = Field(default="", max_length=MAX_NAME)
    text: str | None = Field(default=None, max_length=MAX_TEXT)
    embedding: str | None = Field(
        default=None, max_length=DIMENSIONS * 3, description="`packed`; None: the hub computes it."
    )


class SharedNote(Sent):
    """A note; `name` is None where the owner shares only embeddings. With a `finding`, it is that
    finding and has nothing else.
    """

    path: Path
    name: str | None = Field(default=None, max_length=MAX_NAME)
    hash: str = Field(max_length=100, description="Of everything that is published of it.")
    chunks: tuple[SharedChunk, ...] = Field(default=(), max_length=MAX_CHUNKS, strict=False)
    wanted: tuple[Name, ...] = Field(
        default=(), max_length=MAX_WANTED, strict=False,
        description="Names of notes that it links to and that do not exist in its vault.",
    )  # fmt: skip
    finding: SharedFinding | None = None


class Batch(Sent):
    """Changes of what is published; `revision` is the one that they follow."""

    revision: int
    model: str | None = Field(
        default=None, max_length=200, description="Of the embeddings; None where there are none."
    )
    notes: tuple[SharedNote, ...] = Field(default=(), max_length=MAX_NOTES, strict=False)
    withdrawn: tuple[Path, ...] = Field(default=(), max_length=100_000, strict=False)

    @property
    def has_embeddings(self) -> bool:
        return any(chunk.embedding is not None for note in self.notes for chunk in note.chunks)

    @property
    def waiting(self) -> int:
        """How many chunks the hub has to embed."""
        every = (chunk for note in self.notes for chunk in note.chunks)
        return sum(chunk.embedding is None and chunk.text is not None for chunk in every)


class Published(Sent):
    """What a hub has of a vault: the hash of each note by path. Each batch adds 1 to `revision`."""

    revision: int
    hashes: dict[str, str]


def sendable(text: str, most: int) -> str:
    """Return as much of a text as is sent: PostgreSQL has no character 0, JSON no surrogates."""
    return encodable(text).replace("\0", "")[:most]


def packed(vector: "np.ndarray[tuple[int], np.dtype[np.float32]]") -> str:
    """Encode a `(384,)` vector: base64 of little-endian half-precision floats."""
    return b64encode(vector.astype("<f2").tobytes()).decode()


def unpacked(embedding: str) -> Vector16:
    """Return the `(384,)` vector again. Raises HubError if it is none, or not finite."""
    try:
        vector = np.frombuffer(b64decode(embedding, validate=True), dtype="<f2")
    except ValueError:
        raise HubError("an embedding must be base64 of half-precision floats") from None
    if vector.shape != (DIMENSIONS,) or not np.isfinite(vector).all():
        raise HubError(f"an embedding must have {DIMENSIONS} finite dimensions")
    return vector
