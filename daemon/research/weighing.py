"""How far to trust each document of a run, and which of them were retracted."""

import re

from daemon.model.evidence import Credibility, Document
from daemon.research.authority import weighed_as
from daemon.research.evidence import Evidence
from daemon.research.farms import farm
from daemon.research.identity import doi_of
from daemon.research.recall import Recall
from daemon.research.weigh import retracted, weigh

_PUBMED = re.compile(r"pubmed\.ncbi\.nlm\.nih\.gov/(\d+)")


class Scales:
    """Weighs the documents of one run."""

    def __init__(self, evidence: Evidence, recall: Recall) -> None:
        self._table = recall.table()
        self._notices = _retractions(evidence, recall)

    def weigh(self, document: Document, voices: int | None = None) -> Credibility:
        """Weigh a document that `voices` independent sources agree with, itself counted."""
        return weigh(
            document,
            voices,
            self._table,
            notice=self._notices.get(document.id, ""),
        )

    def is_discounted(self, document: Document) -> bool:
        """Whether what a document says supports and contradicts nothing: retracted, or a farm's."""
        is_retracted = document.id in self._notices or bool(retracted(document.hit))
        return is_retracted or bool(farm(weighed_as(document), document.text, self._table))


def _retractions(evidence: Evidence, recall: Recall) -> dict[str, str]:
    """Say of the documents' ids which were retracted, as far as a list of retractions knows."""
    ids = {
        document.id: list(filter(None, (doi_of(document.hit.doi), doi_of(document.hit.url))))
        + _PUBMED.findall(document.hit.url)
        for document in evidence.documents.values()
    }
    found = recall.retracted(sorted({one for its in ids.values() for one in its}))
    return {
        id_: next(found[one] for one in its if one in found)
        for id_, its in ids.items()
        if any(one in found for one in its)
    }
