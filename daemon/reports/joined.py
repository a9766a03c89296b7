"""A report of what the notes say on a topic, and of what was found on it."""

from dataclasses import replace

from daemon.model.finding import Quote
from daemon.model.report import Report, ReportSection

_OF_NOTES = 4  # key findings
_MAX_ACTIONS = 8


def joined(ours: Report, theirs: Report) -> Report:
    """Return the report of a run, led by what the notes say on the same topic.

    A topic is no question: that no document answers it is no gap.
    """
    read = {each.document.hit.url for each in theirs.sources}
    sections = (_without(each, read) for each in ours.sections)
    more = [each for each in ours.sources if each.document.hit.url not in read]
    return replace(
        theirs,
        key_findings=(*ours.key_findings[:_OF_NOTES], *theirs.key_findings),
        sections=(*(each for each in sections if each.notes or each.single), *theirs.sections),
        sources=(*theirs.sources, *more),
        disputed=(*theirs.disputed, *ours.disputed),
        figures=(*theirs.figures, *ours.figures),
        timeline=tuple(sorted((*theirs.timeline, *ours.timeline), key=lambda one: one.when)),
        gaps=(*ours.gaps, *theirs.gaps),
        actions=(*theirs.actions, *ours.actions)[:_MAX_ACTIONS],
        notes=ours.notes,
        alike=ours.alike,
        contested=ours.contested,
    )


def _without(section: ReportSection, read: set[str]) -> ReportSection:
    """Return a section without quotes of documents that the run read."""
    kept = tuple(
        each
        for each in section.single
        if not (isinstance(each, Quote) and each.document.hit.url in read)
    )
    return replace(section, single=kept)
