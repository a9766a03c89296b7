"""Web documents that a hub's workers fetch for its vaults, as they are sent."""

from base64 import b64decode, b64encode
from datetime import datetime

from pydantic import Field, JsonValue

from daemon.model.errors import HubError
from daemon.model.shared_findings import Sent

MAX_URL = 2_000  # characters


class DocumentRequest(Sent):
    """Which document: its address is all that a vault says of why it wants it."""

    url: str = Field(min_length=1, max_length=MAX_URL)


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


def encoded(body: bytes) -> str:
    """Encode a body as it is sent."""
    return b64encode(body).decode()
