"""Records of XML answers, by form. Runs in the process that reads hostile documents."""

from collections.abc import Callable

from daemon.adapters.extract_arxiv import extract_arxiv
from daemon.adapters.extract_pubmed import extract_articles, extract_numbers

Fields = dict[str, str | list[str]]


def extract_records(body: bytes, form: str) -> list[Fields]:
    """Return the records of a `feed`, or of an answer of arXiv or PubMed. Raises ExtractError."""
    return _FORMS[form](body)


def _feed(body: bytes) -> list[Fields]:
    from daemon.adapters.extract_feed import extract_feed  # noqa: PLC0415 one form, one library

    return extract_feed(body)


_FORMS: dict[str, Callable[[bytes], list[Fields]]] = {
    "feed": _feed,
    "arxiv": extract_arxiv,
    "pubmed numbers": extract_numbers,
    "pubmed articles": extract_articles,
}
