"""Web documents that a hub's workers fetch for its vaults, as they are sent."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from pydantic import Field, JsonValue

from daemon.model.arrays import np
from daemon.model.errors import HubError
from daemon.model.shared_findings import Sent
from daemon.model.shared_notes import DIMENSIONS, Vector16

MAX_URL = 2_000  # characters
_KEY = 16  # bytes of the hash of a text


class DocumentRequest(Sent):
    """Which document: its address is all that a vault says of why it wants it.

    With a `model`, the vault takes embeddings of that one, too. The document goes with the `vault`.
    """

    url: str = Field(min_length=1, max_length=MAX_URL)
    model: str = Field(default="", max_length=200)
    vault: str = Field(default="", max_length=200)


class SharedDocument(Sent):
    """A document as it was fetched, and its text as it was extracted."""

    final_url: str
    content_type: str
    fetched_at: datetime
    body: str = Field(description="base64")
    extracted: dict[str, JsonValue] = Field(description="The fields of `Extracted`.")
    version: int = Field(description="Of the extractor.")

    @property
    def bytes(self) -> bytes:
        """Return the body. Raises HubError."""
        try:
            return b64decode(self.body, validate=True)
        except ValueError:
            raise HubError("a document must be base64") from None


class DocumentAnswer(Sent):
    """A document, or why there is none; with neither, no worker has fetched it yet."""

    document: SharedDocument | None = None
    trouble: str = ""

    @property
    def is_waiting(self) -> bool:
        return self.document is None and not self.trouble


class SharedEmbeddings(Sent):
    """Embeddings of texts of a document, by their hashes."""

    model: str = Field(max_length=200)
    keys: str = Field(description="base64 of the hashes")
    vectors: str = Field(description="base64 of little-endian half-precision floats")

    @classmethod
    def of(
        cls,
        model: str,
        texts: Sequence[str],
        vectors: "np.ndarray[tuple[int, int], np.dtype[np.float32]]",
    ) -> "SharedEmbeddings":
        """Encode `(n, 384)` vectors, one for each text."""
        keys = b"".join(text_key(each) for each in texts)
        return cls(
            model=model, keys=encoded(keys), vectors=encoded(vectors.astype("<f2").tobytes())
        )

    def by_key(self) -> Mapping[bytes, Vector16]:
        """Return each vector by `text_key` of its text. Raises HubError."""
        try:
            keys = b64decode(self.keys, validate=True)
            vectors = np.frombuffer(b64decode(self.vectors, validate=True), dtype="<f2")
            rows = vectors.reshape(len(keys) // _KEY, DIMENSIONS)
        except ValueError:
            raise HubError("the embeddings of a document are not understood") from None
        if not np.isfinite(rows).all():
            raise HubError("the embeddings of a document are not finite")
        return {keys[at * _KEY : (at + 1) * _KEY]: row for at, row in enumerate(rows)}


class EmbeddedAnswer(DocumentAnswer):
    """The same for a vault that takes embeddings, if a worker has made some."""

    embeddings: SharedEmbeddings | None = None


def text_key(text: str) -> bytes:
    """Return what identifies a text that is embedded."""
    return sha256(text.encode("utf-8", "replace")).digest()[:_KEY]


def encoded(body: bytes) -> str:
    """Encode a body as it is sent."""
    return b64encode(body).decode()
