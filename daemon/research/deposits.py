"""Records that a depositor wrote: a DOI that anybody can type proves nothing.

They join the record of the work that they claim to be, but give it nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

from daemon.model.evidence import Hit
from daemon.research.identity import arxiv_of, doi_of, is_record, keys_of
from daemon.research.people_names import is_same_name
from daemon.research.publishers import is_deposit, may_state
from daemon.research.records import titles_agree


def as_stated(hit: Hit) -> Hit:
    """Return a source's hit without a DOI that only its depositor typed, and what follows from it.

    The DOI is kept as a claim: it joins the hit with the DOI's record if title and author agree.
    """
    doi = doi_of(hit.doi)
    is_other = doi_of(hit.url) not in ("", doi) and is_deposit("", doi_of(hit.url))
    if not is_record(hit) or not doi or (may_state(hit.url, doi) and not is_other):
        return hit
    claim = replace(hit, doi="", claimed_doi=doi, venue="", publisher="")
    return replace(claim, citations=None, retracted=False)


def stated(hits: Sequence[Hit]) -> list[Hit]:
    """Return the records that describe the work of all `hits`; without any, none.

    Where an index describes a published work by its identifier, a depositor's record, and one
    without an identifier, count only if the index names the same identifier or their address.
    """
    records = [hit for hit in hits if is_record(hit)]
    published = (hit for hit in records if not is_deposited(hit) and _is_identified(hit))
    named = {key for hit in published for key in _named(hit)}
    confirmed = [hit for hit in records if not named.isdisjoint(_named(hit))]
    return confirmed or records


def is_deposited(hit: Hit) -> bool:
    """Return whether a depositor wrote the record."""
    return bool(hit.claimed_doi) or is_deposit(hit.url, doi_of(hit.doi))


def is_claimed(one: Hit, other: Hit) -> bool:
    """Return whether one claims the other's DOI, and title and first author agree."""
    pairs = ((one, other), (other, one))
    if not any(left.claimed_doi and left.claimed_doi == doi_of(right.doi) for left, right in pairs):
        return False
    is_signed = bool(one.authors and other.authors)
    return titles_agree(one, other) and is_signed and is_same_name(one.authors[0], other.authors[0])


def _is_identified(hit: Hit) -> bool:
    return any(key.startswith(("doi:", "pmid:", "pmcid:")) for key in keys_of(hit))


def _named(hit: Hit) -> set[str]:
    copy = arxiv_of(hit.content_url)
    return {*keys_of(hit), *([f"arxiv:{copy}"] if copy else [])}
