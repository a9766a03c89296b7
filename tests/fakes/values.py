"""Plain values for tests: each builder gives a whole one, and takes what matters by name."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from daemon.model.agenda import Agenda, AgendaStatus, Depth, Gap, GapKind, GapShape, Task
from daemon.model.evidence import Credibility, Document, Flag, Hit, Match, Passage, SourceType
from daemon.model.finding import (
    Confidence,
    Connection,
    Finding,
    FindingRecord,
    FindingSource,
    FindingStatus,
    Quote,
)

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
INBOX = "Inbox/Research"

SENTENCES = (
    "Cooperative schedulers trade worst-case latency for throughput.",
    "A task that never awaits holds its worker for as long as it runs.",
)


def a_gap(topic: str = "Rust async", score: float = 0.8, **values: Any) -> Gap:
    gap = Gap(
        kind=GapKind.GAP,
        shape=GapShape.ISOLATED,
        topic=topic,
        notes=("Rust async.md",),
        why="Rust async has no link in or out",
        score=score,
        parts={"isolated": score},
        keywords=("tokio", "executor"),
    )
    return replace(gap, **values)


def a_task(**values: Any) -> Task:
    task = Task(
        id="1a2b3c4d",
        topic="Rust async",
        query="cooperative scheduling latency",
        sources=("library", "arxiv"),
        because="Rust async links to nothing newer than 2023",
        note="Code/Rust async.md",
        kind=GapKind.GAP,
        score=0.8,
    )
    return replace(task, **values)


def an_agenda(*tasks: Task, **values: Any) -> Agenda:
    agenda = Agenda(
        id="a-0123456789ab",
        created_at=NOW,
        runs_at=NOW + timedelta(hours=12),
        trigger="weekly run",
        status=AgendaStatus.PROPOSED,
        depth=Depth.STANDARD,
        tasks=tasks or (a_task(),),
    )
    return replace(agenda, **values)


def a_hit(**values: Any) -> Hit:
    hit = Hit(
        source="arxiv",
        source_type=SourceType.PREPRINT,
        url="https://arxiv.org/abs/2401.01234",
        title="Latency of cooperative schedulers",
        snippet=" ".join(SENTENCES),
        authors=("Ada Byron", "Grace Murray"),
        published="2024-01-03",
        arxiv_id="2401.01234",
    )
    return replace(hit, **values)


def a_document(*sentences: str, **values: Any) -> Document:
    text = "Introduction. " + " ".join(sentences or SENTENCES) + " The end."
    document = Document(
        id="0011223344556677",
        key="arxiv:2401.01234",
        hit=a_hit(),
        final_url="https://arxiv.org/abs/2401.01234",
        fetched_at=NOW,
        sha256=sha256(text.encode(errors="replace")).hexdigest(),
        text=text,
        extracted_by="trafilatura",
    )
    return replace(document, **values)


def quotes_of(document: Document, *sentences: str) -> tuple[Quote, ...]:
    starts = [(document.text.index(sentence), sentence) for sentence in sentences]
    return tuple(
        Quote(document, Passage(document.id, at, at + len(text), text)) for at, text in starts
    )


def a_source(document: Document) -> FindingSource:
    factors = (("preprint", 0.85), ("published 2024", 0.91))
    return FindingSource(document, Credibility(0.77, factors))


def a_finding(*sentences: str, **values: Any) -> Finding:
    """Make a finding of one source; `credibility`, `flags` and `centrality` are that source's."""
    document = values.pop("document", None) or a_document(*sentences)
    own = {
        name: values.pop(name) for name in ("credibility", "flags", "centrality") if name in values
    }
    source = replace(a_source(document), **own)
    finding = Finding(
        id="f-89abcdef0123",
        run="r-20261121-0930",
        task=a_task(),
        title=document.hit.title,
        sources=(source,),
        agreed=(),
        contrasts=(),
        single=quotes_of(document, *(sentences or SENTENCES)),
        concepts=("cooperative scheduling", "tail latency"),
        connects=(
            Connection(Match("Code/Tokio.md", "Scheduling", 0.714), shared=("worker", "latency")),
        ),
        confidence=Confidence.LOW,
        created_at=NOW,
        checked=3,
    )
    return replace(finding, **values)


def a_record(**values: Any) -> FindingRecord:
    record = FindingRecord(
        id="f-89abcdef0123",
        run="r-20261121-0930",
        path=f"{INBOX}/2026-11-21 Latency of cooperative schedulers.md",
        status=FindingStatus.PENDING,
        title="Latency of cooperative schedulers",
        source="https://arxiv.org/abs/2401.01234",
        key="arxiv:2401.01234",
        topic="Rust async",
        credibility=0.77,
        created_at=NOW,
    )
    return replace(record, **values)


def a_flag(kind: str = "instructions", count: int = 1) -> Flag:
    return Flag(kind, count)
