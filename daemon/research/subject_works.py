"""The works that a task's note is about: they are not offered again."""

import re
from collections.abc import Iterable, Sequence

from daemon.model.agenda import Task
from daemon.model.evidence import Hit
from daemon.model.finding import Skip
from daemon.model.topics import topic_key
from daemon.research.dedup import Offer

WHY = "your note is about this work"
_SCHEME = re.compile(r"^https?://(?:www\.)?|[/#?]+$", re.IGNORECASE)


def without_subjects(offers: Sequence[Offer], task: Task) -> list[Offer]:
    """Remove the works that the task's note is about."""
    excluded = set(map(_key, task.excluded)) - {""}
    return [offer for offer in offers if not excluded & _keys(offer.hit)] if excluded else [*offers]


def subjects_among(offers: Iterable[Offer], task: Task) -> list[Skip]:
    """Return for each of those works why it was removed."""
    excluded = set(map(_key, task.excluded)) - {""}
    return [
        Skip(offer.hit.title, offer.hit.url, WHY) for offer in offers if excluded & _keys(offer.hit)
    ]


def _keys(hit: Hit) -> set[str]:
    return {_key(each) for each in (hit.doi, hit.url, hit.title)} - {""}


def _key(identity: str) -> str:
    """Return a common form for a DOI, an address or a title."""
    bare = re.sub(r"^(?:dx\.)?doi\.org/", "", _SCHEME.sub("", identity.strip()), flags=re.I)
    return topic_key(bare)
