"""The process that reads hostile documents: `python -m daemon.adapters.extract_worker`.

Requests come on stdin: one line of JSON (`kind`, `content_type`, `url`, `size`, `cpu_seconds`),
then `size` bytes. Each is answered on stdout by one line of JSON: the fields of an Extracted, the
`entries` of a feed, or `{"error": why}`. The first line says that it is ready, and what it could
not be confined by. The process ends when stdin does, or after `--idle` seconds without a request.
"""

import argparse
import contextlib
import json
import os
import resource
import select
import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from daemon.confinement.child import missing
from daemon.model.errors import ExtractError

MAX_TEXT = 5_000_000  # characters; a book has about one million


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory", type=int, required=True, help="bytes of address space")
    parser.add_argument("--idle", type=float, required=True, help="seconds")
    options = parser.parse_args()
    requests, answers = _private_pipes()
    _limit(resource.RLIMIT_AS, options.memory)
    _limit(resource.RLIMIT_CORE, 0)
    _say(answers, {"ready": True, "unconfined": missing})
    while _waits(requests, options.idle):
        line = requests.readline()
        if not line:
            return
        request = json.loads(line)
        _allow_cpu(float(request["cpu_seconds"]))
        _say(answers, answer(request, requests.read(int(request["size"]))))


def answer(request: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """Extract one document; whatever is wrong with it becomes `{"error": why}`."""
    try:
        if request["kind"] == "feed":
            return _feed(body)
        read = _reader(request["kind"])
        fields = read(body, request)
    except ExtractError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "the document needs more memory than it may have"}
    except Exception as error:  # noqa: BLE001  # any document may break any parser
        return {"error": f"the document could not be read ({type(error).__name__})"}
    return {**fields, "text": fields["text"][:MAX_TEXT]}


def _feed(body: bytes) -> dict[str, Any]:
    from daemon.adapters.extract_feed import extract_feed  # noqa: PLC0415 one kind, one library

    return {"entries": extract_feed(body)}


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


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Keep stdout for answers: what a library prints must not end up among them."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return os.fdopen(os.dup(0), "rb"), answers


def _waits(requests: BinaryIO, seconds: float) -> bool:
    # Nothing waits in the buffer here: the next request comes only after this one's answer.
    return bool(select.select([requests], [], [], seconds)[0])


def _say(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


def _limit(what: int, amount: int) -> None:
    """Set a limit where the system has it; macOS knows no limit on address space."""
    with contextlib.suppress(ValueError, OSError):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (amount if hard < 0 else min(amount, hard), hard))


def _allow_cpu(seconds: float) -> None:
    """Give the next document its share of processor time, counted from now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        main()
    sys.exit(0)
