"""An extractor that takes text for what it is, or answers from a table of bytes."""

from collections.abc import Mapping, Sequence

from daemon.adapters.extract import records
from daemon.adapters.extract_worker import extract_records
from daemon.model.errors import ExtractError
from daemon.ports import Extracted, Extractor, Record


class FakeExtractor(Extractor):
    """Remembers what it was asked for in `asked`.

    Bytes that are not in `answers` are decoded; an empty document, or one that says `broken`,
    cannot be read.
    """

    def __init__(
        self,
        answers: Mapping[bytes, Extracted | ExtractError] | None = None,
        *,
        hidden: int = 0,
    ) -> None:
        self._answers = dict(answers or {})
        self._hidden = hidden
        self.asked: list[bytes] = []
        self.closed = False

    def extract(self, body: bytes, *, content_type: str, url: str) -> Extracted:
        self.asked.append(body)
        answer = self._answers.get(body) or self._decoded(body)
        if isinstance(answer, ExtractError):
            raise answer
        return answer

    def records(self, body: bytes, form: str) -> Sequence[Record]:
        return records(extract_records(body, form))

    def interrupt(self) -> None:
        """There never is a child."""

    def close(self) -> None:
        self.closed = True

    def _decoded(self, body: bytes) -> Extracted | ExtractError:
        text = body.decode("utf-8", "replace")
        if not text or text == "broken":
            return ExtractError("the document is empty" if not text else "the document is broken")
        return Extracted(text=text, extracted_by="text", hidden=self._hidden)
