"""What the sources of a run state: agreement, single statements, contradictions; by authority."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from daemon.app import App
from daemon.findings.safe_links import name_of
from daemon.model.finding import AgreedQuote, Confidence, Contrast, FindingSource
from daemon.model.report import Conflict, ReportSection, source_of, text_of
from daemon.usecases.document import Document, Number
from daemon.usecases.query import Query
from daemon.usecases.runs import RunId, RunRequest


class ClaimSource(Document):
    """A document that claims are from."""

    title: str = Field(description="Title of the document.")
    url: str = Field(description="Address of the document.")
    authors: tuple[str, ...] = Field(description="Names of its authors; empty when unknown.")
    published: str = Field(
        description='ISO 8601, as precise as the source states it; "" when unknown.'
    )
    credibility: Number = Field(description="From 0 to 0.95.")
    factors: dict[str, Number] = Field(description="What its credibility is the product of.")


class Claim(Document):
    """A statement, word for word."""

    text: str = Field(description="The statement.")
    sources: tuple[int, ...] = Field(
        description="Numbers of the sources that state it, from 1; several agree."
    )


class ClaimPair(Document):
    """Two statements of different sources that do not agree."""

    one: Claim = Field(description="A statement.")
    other: Claim = Field(description="The statement of the other source.")
    is_contradiction: bool = Field(description="False: two results that differ.")


class NoteContradiction(Document):
    """A line of a note of yours, and a statement that contradicts it."""

    path: str = Field(description="Vault-relative path of the note.")
    line: str = Field(description="What the note says.")
    claim: Claim = Field(description="What a source states.")


class ClaimsOnQuestion(Document):
    """What sources state on one question."""

    question: str = Field(description="The question.")
    confidence: Confidence | None = Field(description="How sure the answer is; null: unknown.")
    read: int = Field(description="Documents that were read for it.")
    independent: int = Field(description="Independent sources that answer it.")
    agreed: tuple[Claim, ...] = Field(description="Statements of several independent sources.")
    single: tuple[Claim, ...] = Field(description="Statements of one source each.")
    differing: tuple[ClaimPair, ...] = Field(description="Statements that do not agree.")


class Claims(Document):
    """What the sources of a run state on its questions."""

    run: RunId
    questions: tuple[ClaimsOnQuestion, ...] = Field(description="Questions with an answer.")
    disputed: tuple[NoteContradiction, ...] = Field(description="Contradictions with your notes.")
    sources: tuple[ClaimSource, ...] = Field(description="The most credible first.")


def claims(app: App, request: RunRequest) -> Claims:
    """Return what a run found, from its record alone. Raises LacunaError, ReplayError."""
    report = app.research.reports.made_of_run(request.run)
    ranked = sorted(report.sources, key=lambda each: -each.credibility.score)
    numbers = {each.document.id: number for number, each in enumerate(ranked, 1)}
    return Claims(
        run=report.run,
        questions=tuple(_on_question(each, numbers) for each in report.sections),
        disputed=tuple(_conflict(each, numbers) for each in report.disputed),
        sources=tuple(map(_source, ranked)),
    )


def _on_question(section: ReportSection, numbers: Mapping[str, int]) -> ClaimsOnQuestion:
    return ClaimsOnQuestion(
        question=section.question or section.title,
        confidence=section.confidence,
        read=section.read,
        independent=section.independent,
        agreed=tuple(_agreed(each, numbers) for each in section.agreed),
        single=tuple(
            Claim(text=text_of(each), sources=_numbered([source_of(each)], numbers))
            for each in section.single
        ),
        differing=tuple(_pair(each, numbers) for each in section.differing),
    )


def _agreed(found: AgreedQuote, numbers: Mapping[str, int]) -> Claim:
    said = [source_of(each) for each in (found.quote, *found.voices)]
    return Claim(text=text_of(found.quote), sources=_numbered(said, numbers))


def _pair(found: Contrast, numbers: Mapping[str, int]) -> ClaimPair:
    other = " ".join(found.other.text.split())
    return ClaimPair(
        one=Claim(text=text_of(found.quote), sources=_numbered([source_of(found.quote)], numbers)),
        other=Claim(text=other, sources=_numbered([found.other.document], numbers)),
        is_contradiction=found.is_contradiction,
    )


def _conflict(found: Conflict, numbers: Mapping[str, int]) -> NoteContradiction:
    theirs = Claim(
        text=text_of(found.theirs), sources=_numbered([source_of(found.theirs)], numbers)
    )
    return NoteContradiction(path=found.ours.path, line=found.ours.text, claim=theirs)


def _numbered(documents: Sequence[str], numbers: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers[each] for each in documents if each in numbers))


def _source(found: FindingSource) -> ClaimSource:
    hit = found.document.hit
    return ClaimSource(
        title=name_of(hit),
        url=hit.url,
        authors=hit.authors,
        published=hit.published,
        credibility=found.credibility.score,
        factors=dict(found.credibility.factors),
    )


CLAIMS = Query("claims", RunRequest, Claims, claims)
