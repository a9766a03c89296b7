"""What is kept of a finding besides its note. Pure."""

from daemon.model.finding import Finding, FindingRecord, FindingStatus
from daemon.model.topics import sentence_key


def record_of(finding: Finding, path: str) -> FindingRecord:
    """Return what is kept of a finding whose note is at `path`."""
    return FindingRecord(
        id=finding.id,
        run=finding.run,
        path=path,
        status=FindingStatus.PENDING,
        title=finding.title,
        source=finding.document.hit.url,
        key=finding.document.key,
        topic=finding.task.topic,
        credibility=finding.credibility.score,
        created_at=finding.created_at,
        about=finding.task.note or "",
        question=finding.task.query,
        sources=tuple(source.document.hit.url for source in finding.sources),
        keys=(
            *(source.document.key for source in finding.sources),
            *(sentence_key(quote.passage.text) for quote in finding.quotes),
        ),
    )
