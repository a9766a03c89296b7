"""The quotes of a finding beside the kept text of the documents that they are from."""

import re
from collections.abc import Iterator, Sequence

from pydantic import Field

from daemon.app import App
from daemon.model.errors import LacunaError
from daemon.usecases.document import Document, ListDocument
from daemon.usecases.findings import FindingRequest, finding
from daemon.usecases.query import Query

_AROUND = 300  # characters of the text before and after a quote
_SHORTEST = 20  # characters of a quote
_QUOTE = re.compile(r"^> ?(?!\[!|—)(.+)$", re.MULTILINE)
_MARKUP = re.compile(r"\\(?=[^\w\s])|[*_`]")
_PARTS = re.compile(r"\s+")


class QuotedPlace(Document):
    """A quote of a finding, and the text around it that was read."""

    quote: str = Field(description="The quote, as the document has it.")
    before: str = Field(description="The text before it.")
    after: str = Field(description="The text after it.")
    url: str = Field(description="Address of the document.")
    title: str = Field(description="Title of the document.")


class QuotedPlaces(ListDocument[QuotedPlace]):
    """The quotes that the kept texts contain, in the order of the finding."""


def quoted_places(app: App, request: FindingRequest) -> QuotedPlaces:
    """Return where the quotes of a finding are; none of a run whose record was deleted.

    Raises LacunaError for an unknown finding.
    """
    shown = finding(app, request)
    record = app.review.reviews.find(request.id)
    try:
        folder = app.stores.runs.folder(record.run)
        cited = folder.citations.graph().get("sources", [])
        texts = [(each, folder.text(each["document"])) for each in cited]
    except LacunaError:  # its folder is gone
        return QuotedPlaces(())
    quotes = [_MARKUP.sub("", found[1]).strip() for found in _QUOTE.finditer(shown.text)]
    return QuotedPlaces(tuple(_places(quotes, texts)))


def _places(
    quotes: Sequence[str], texts: Sequence[tuple[dict[str, str], str]]
) -> Iterator[QuotedPlace]:
    for quote in quotes:
        if len(quote) < _SHORTEST:
            continue
        words = re.compile(r"\W+".join(map(re.escape, re.findall(r"\w+", quote))))
        for source, text in texts:
            found = words.search(text)
            if found is not None:
                yield QuotedPlace(
                    quote=_line(found[0]),
                    before=_line(text[max(0, found.start() - _AROUND) : found.start()]),
                    after=_line(text[found.end() : found.end() + _AROUND]),
                    url=source["url"],
                    title=source["title"],
                )
                break


def _line(text: str) -> str:
    return _PARTS.sub(" ", text).strip()


QUOTED_PLACES = Query("quoted-places", FindingRequest, QuotedPlaces, quoted_places)
