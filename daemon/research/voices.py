"""Who speaks with a voice of their own: the same text, site or authors are one voice."""

from daemon.model.evidence import Document, SourceType
from daemon.research.identity import arxiv_of, doi_of, site_of
from daemon.research.likeness import Print
from daemon.research.names import surname

_REPUBLISHED = 0.5  # share of the shorter text's five-word runs that the other has, too
# Where papers of all publishers stand: that two are there says nothing of who wrote them.
_HOSTS = frozenset(
    {
        "academia.edu", "arxiv.org", "biorxiv.org", "chemrxiv.org", "core.ac.uk", "doi.org",
        "europepmc.org", "hal.science", "jstor.org", "medrxiv.org", "nih.gov", "openalex.org",
        "osf.io", "preprints.org", "researchgate.net", "researchsquare.com", "sciencedirect.com",
        "semanticscholar.org", "springer.com", "ssrn.com", "tandfonline.com", "wiley.com",
        "zenodo.org",
    }
)  # fmt: skip
_WORKS = (SourceType.PAPER, SourceType.PREPRINT)


class Voice:
    """Whose voice a document is; made once, compared with many."""

    def __init__(self, document: Document) -> None:
        hit = document.hit
        names = any(map(doi_of, (hit.doi, hit.url))) or any(map(arxiv_of, (hit.arxiv_id, hit.url)))
        self.is_work = hit.source_type in _WORKS or names
        self.site = site_of(hit.url)
        # Who did the work stands first; whose group it was done in, last.
        self.people = frozenset(_person(name) for name in (*hit.authors[:1], *hit.authors[-1:]))
        self.text = Print(document.text)

    def echoes(self, other: "Voice") -> str:
        """Say why two are one voice ("the same text"), or "" when each has its own."""
        if self.text.is_telling and self.text.share(other.text) >= _REPUBLISHED:
            return "the same text"
        if self.is_work and other.is_work and self.people and other.people:
            return "the same authors" if self.people & other.people else ""
        is_hosted = self.site in _HOSTS and (self.is_work or other.is_work)
        if self.site and self.site == other.site and not is_hosted:
            return "the same site"
        if not (self.site and other.site) and self.people & other.people:
            return "the same author"
        return ""


def _person(name: str) -> str:
    """Return surname and initial: "King, Ada" and "Ada B. King" are `king a`."""
    family = surname(name)
    given = name.partition(",")[2] if "," in name else name
    return f"{family} {given.strip()[:1].casefold()}"
