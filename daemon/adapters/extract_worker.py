"""The process that reads hostile documents: `python -m daemon.adapters.extract_worker`.

A request has `kind`, `content_type` and `url`; the answer has the fields of an Extracted, the
`records` of an XML answer (in a `form`), or `{"error": why}`.
"""

import contextlib
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from daemon.adapters.json_worker import open_pipes, serve
from daemon.model.errors import ExtractError

MAX_TEXT = 5_000_000  # characters; a book has about one million
Fields = dict[str, str | list[str]]
_HTML = ("extract_html", "extract_html")
# The module and the function of each other kind of document, and of each form of XML.
_READERS: Mapping[str, tuple[str, str]] = {
    "pdf": ("extract_pdf", "extract_pdf"),
    "epub": ("extract_epub", "extract_epub"),
    "docx": ("extract_docx", "extract_docx"),
    "markdown": ("extract_plain", "extract_markdown"),
    "text": ("extract_plain", "extract_text"),
    "subtitles": ("extract_subtitles", "extract_subtitles"),
}
_FORMS: Mapping[str, tuple[str, str]] = {
    "feed": ("extract_feed", "extract_feed"),
    "arxiv": ("extract_arxiv", "extract_arxiv"),
    "list": ("extract_list", "extract_list"),
    "conversations": ("extract_conversations", "extract_conversations"),
    "pubmed numbers": ("extract_pubmed", "extract_numbers"),
    "pubmed articles": ("extract_pubmed", "extract_articles"),
}


def answer(request: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """Extract one document; every failure becomes `{"error": why}`."""
    try:
        if request["kind"] == "records":
            return {"records": extract_records(body, request["form"])}
        read = _reader(request["kind"])
        fields = read(body, request)
    except ExtractError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "the document needs more memory than allowed"}
    except Exception as error:  # noqa: BLE001  # any document may break any parser
        return {"error": f"the document could not be read ({type(error).__name__})"}
    return {**fields, "text": fields["text"][:MAX_TEXT]}


def extract_records(body: bytes, form: str) -> list[Fields]:
    """Return the records of a `feed`, an answer of arXiv or PubMed, a `list`, or `conversations`.

    Raises ExtractError.
    """
    found: list[Fields] = _loaded(*_FORMS[form])(body)
    return found


def _reader(kind: str) -> Callable[[bytes, Mapping[str, Any]], dict[str, Any]]:
    read = _loaded(*_READERS.get(kind, _HTML))
    if _READERS.get(kind, _HTML) == _HTML:
        return lambda body, request: read(body, content_type=request["content_type"])
    return lambda body, _: read(body)


def _loaded(module: str, name: str) -> Callable[..., Any]:
    """Import only what this kind needs: a parser that is not loaded takes no memory."""
    found: Callable[..., Any] = getattr(import_module(f"daemon.adapters.{module}"), name)
    return found


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(open_pipes(), answer)
    sys.exit(0)
