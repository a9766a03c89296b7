"""A report of what the notes say on a topic, and of what was found on it."""

from dataclasses import replace

from daemon.model.report import Report

_OF_NOTES = 4  # key findings
_MAX_ACTIONS = 8


def joined(ours: Report, theirs: Report) -> Report:
    """Return the report of a run, led by what the notes say on the same topic.

    A run that found nothing has that as its gap.
    """
    return replace(
        theirs,
        key_findings=(*ours.key_findings[:_OF_NOTES], *theirs.key_findings),
        sections=(*ours.sections, *theirs.sections),
        further=ours.further,
        disputed=(*theirs.disputed, *ours.disputed),
        figures=(*theirs.figures, *ours.figures),
        timeline=tuple(sorted((*theirs.timeline, *ours.timeline), key=lambda one: one.when)),
        gaps=(*theirs.gaps, *ours.gaps),
        actions=(*theirs.actions, *ours.actions)[:_MAX_ACTIONS],
        notes=ours.notes,
    )
