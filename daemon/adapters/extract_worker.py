"""The process that reads hostile documents: `python -m daemon.adapters.extract_worker`.

A request has `kind`, `content_type` and `url`; the answer has the fields of an Extracted, the
`records` of an XML answer (in a `form`), or `{"error": why}`.
"""

import contextlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from daemon.adapters.json_worker import open_pipes, serve
from daemon.model.errors import ExtractError

MAX_TEXT = 5_000_000  # characters; a book has about one million


def answer(request: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """Extract one document; every failure becomes `{"error": why}`."""
    try:
        if request["kind"] == "records":
            return _records(request["form"], body)
        read = _reader(request["kind"])
        fields = read(body, request)
    except ExtractError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "the document needs more memory than allowed"}
    except Exception as error:  # noqa: BLE001  # any document may break any parser
        return {"error": f"the document could not be read ({type(error).__name__})"}
    return {**fields, "text": fields["text"][:MAX_TEXT]}


def _records(form: str, body: bytes) -> dict[str, Any]:
    from daemon.adapters.extract_records import extract_records  # noqa: PLC0415 one kind, one library

    return {"records": extract_records(body, form)}


def _reader(kind: str) -> Callable[[bytes, Mapping[str, Any]], dict[str, Any]]:
    """Import only what this kind needs: a parser that is not loaded takes no memory."""
    if kind == "pdf":
        from daemon.adapters.extract_pdf import extract_pdf  # noqa: PLC0415 one kind, one library

        return lambda body, _: extract_pdf(body)
    if kind == "epub":
        from daemon.adapters.extract_epub import extract_epub  # noqa: PLC0415 one kind, one library

        return lambda body, _: extract_epub(body)
    if kind == "docx":
        from daemon.adapters.extract_docx import extract_docx  # noqa: PLC0415 one kind, one library

        return lambda body, _: extract_docx(body)
    if kind in ("markdown", "text"):
        from daemon.adapters.extract_plain import extract_markdown, extract_text  # noqa: PLC0415 one kind, one library

        plain = extract_markdown if kind == "markdown" else extract_text
        return lambda body, _: plain(body)
    from daemon.adapters.extract_html import extract_html  # noqa: PLC0415 one kind, one library

    return lambda body, request: extract_html(body, content_type=request["content_type"])


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(open_pipes(), answer)
    sys.exit(0)
