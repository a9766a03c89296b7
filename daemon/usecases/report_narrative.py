"""A narrative over a whole report, by a model of the user's, with a citation for each sentence."""

from dataclasses import replace

from daemon.cycle.late_research import research
from daemon.model.finding import NoteLine
from daemon.model.report import Narrative, NarrativeSentence, Report, Said, source_of, text_of
from daemon.model.written import Quoted
from daemon.usecases.command import Work
from daemon.usecases.following import Follower
from daemon.usecases.synthesising import written

_MOST_SOURCES = 20  # without `models.long_reports`
_STATEMENTS = 40  # that a model reads


def narrative(work: Work, report: Report) -> Report:
    """Return a report with what the writer says on the whole; as it is without a writer.

    A report with statements of notes is written on this machine, unless `asking.remote_writer`
    allows another one. Raises StoppedError.
    """
    said = research.statements_of(report)
    sources = dict.fromkeys(map(source_of, said))
    if len(sources) > _MOST_SOURCES and not work.app.settings.models.long_reports:
        if not work.app.settings.models.writer:
            return report
        why = f"it has {len(sources)} sources, set models.long_reports to have all of them read"
        return replace(report, narrative=Narrative("", (), 0, why))
    said = said[:_STATEMENTS]
    quoted = [Quoted(source_of(each), _name(each), text_of(each), n) for n, each in enumerate(said)]
    of_notes = any(isinstance(each, NoteLine) for each in said)
    follower = Follower(work.report, work.stop)
    with work.stop.calling(work.meanwhile):
        text = written(
            work.app, report.subject, quoted, follower, of_notes=of_notes, is_report=True
        )
    if text is None:
        return report
    sentences = tuple(
        NarrativeSentence(each.text, tuple(said[number] for number in each.numbers))
        for each in text.sentences
    )
    return replace(report, narrative=Narrative(text.model, sentences, len(said), text.why))


def _name(said: Said) -> str:
    return said.path if isinstance(said, NoteLine) else said.document.hit.title
