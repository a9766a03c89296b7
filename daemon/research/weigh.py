"""How far to trust a document, by rules that a reader can check and disagree with."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import inf
from typing import Any
from urllib.parse import urlsplit

from tld import get_tld

from daemon.model.evidence import Credibility, Hit, SourceType
from daemon.model.finding import Confidence
from daemon.research.identity import arxiv_of, doi_of

CAP = 0.95
_RETRACTED = re.compile(
    r"^\W*(?:retracted(?: article)?|retraction(?: note)?|withdrawn)\s*[:—-]", re.I
)


def weigh(hit: Hit, agreeing: int) -> Credibility:
    """Weigh a document that `agreeing` independent sources, itself counted, agree with.

    Base × citations × agreement, at most 0.95; what is not known is 1.0, not a penalty.
    """
    if _RETRACTED.match(hit.title):
        return Credibility(0.0, (("retracted", 0.0),))
    name, base = base_of(hit)
    factors = ((name, base), _citations(hit.citations), _agreement(agreeing))
    score = base * factors[1][1] * factors[2][1]
    return Credibility(round(min(score, CAP), 4), factors)


def confidence(credibilities: Sequence[float]) -> Confidence:
    """Say how well supported a finding is, from the credibility of each independent source."""
    mean = sum(credibilities) / len(credibilities) if credibilities else 0.0
    if len(credibilities) >= 3 and mean > 0.7:
        return Confidence.HIGH
    if len(credibilities) >= 2 and mean >= 0.5:
        return Confidence.MEDIUM
    return Confidence.LOW


def base_of(hit: Hit) -> tuple[str, float]:
    """Return the first entry of the table that fits: its name and score."""
    doi = doi_of(hit.doi) or doi_of(hit.url)
    arxiv = bool(arxiv_of(hit.arxiv_id) or arxiv_of(hit.url) or arxiv_of(doi))
    doi = "" if arxiv_of(doi) else doi
    host = _host(hit.url)
    suffix = _suffix(host)
    for entry in _table()["base"]:
        is_named = any(doi.startswith(prefix) for prefix in entry.get("dois", ()) if doi)
        is_placed = any(_is_below(host, site) for site in entry.get("sites", ()))
        is_kind = (arxiv and entry.get("arxiv", False)) or suffix in entry.get("suffixes", ())
        if is_named or is_placed or is_kind:
            return entry["name"], entry["score"]
    unknown = _table()["unknown"]
    is_own = hit.source_type is SourceType.LIBRARY
    return unknown["library" if is_own else "web"], unknown["score"]


def _citations(count: int | None) -> tuple[str, float]:
    if count is None:
        return "citations not known", 1.0
    name = "1 citation" if count == 1 else f"{count} citations"
    return name, _factor(_table()["citations"], count)


def _agreement(sources: int) -> tuple[str, float]:
    name = "the only source here" if sources <= 1 else f"{sources} independent sources agree"
    return name, _factor(_table()["agreement"], max(sources, 1))


def _factor(steps: Sequence[dict[str, float]], count: int) -> float:
    return next(step["factor"] for step in steps if count < step.get("below", inf))


def _is_below(host: str, site: str) -> bool:
    return host == site or host.endswith(f".{site}")


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def _suffix(host: str) -> str:
    """Return the first label of the public suffix: `gov`, or `gov.` when a country follows it."""
    found = get_tld(f"https://{host}", fail_silently=True) if host else None
    label, stop, _ = str(found or "").partition(".")
    return label + stop


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("credibility.toml").read_text("utf-8"))
