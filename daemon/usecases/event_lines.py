"""Lines of text about events, for faces that show the progress of work."""

from daemon.model.event import (
    Announcement,
    BaseEvent,
    Done,
    Error,
    FindingWritten,
    Handoff,
    QuestionRouted,
    SourceAnswered,
    StepComplete,
    StepProgress,
    StepStart,
)
from daemon.model.wording import time_left


def lines_of_steps(event: BaseEvent) -> list[str]:
    """Return the line for the beginning or the end of work; none for other events."""
    match event:
        case StepStart() if event.what != event.step:
            return [f"{event.step}: {event.what}" if event.what else event.step]
        case StepComplete():
            return [f"{event.step}: done in {event.seconds:.1f} s"]
        case Done():
            return [f"{_work(event)}: done"]
        case Error():
            return [f"{_work(event)}: {event.message}"]
        case Announcement(event="error"):
            return [f"{event.body['part']}: {event.body['line']}"]
        case _:
            return []


def _work(event: Done | Error) -> str:
    """Return which work ended; a query has no number of its own for people."""
    is_query = event.run is None and (event.request is None or event.request < 0)
    return event.ends if is_query else f"{event.ends} {event.run or event.request}"


def lines_of(event: BaseEvent) -> list[str]:
    """Return the lines that an event adds; none for mere progress."""
    match event:
        case StepStart():
            return list(event.plan)
        case SourceAnswered():
            kind = "results for" if event.about == "query" else "citations of"
            line = f"{event.source}: {event.status}, {event.results} {kind} {event.asked}"
            return [f"{line}: {event.why}" if event.why else line]
        case FindingWritten():
            return [f"found: {event.title} ({event.credibility:.2f}), in {event.path}"]
        case QuestionRouted():
            return [f"{event.mode}: {event.reason}"]
        case Handoff():
            line = f"{event.giver} → {event.taker}"
            return [f"{line}: {event.why}" if event.why else line]
        case _:
            return []


def progress_line(event: BaseEvent) -> str:
    """Return how far a step is, on one line, or "" for other events."""
    match event:
        case StepStart():
            return event.what or event.step
        case StepProgress():
            what = f": {event.what}" if event.what not in ("", event.step) else ""
            left = time_left(event.seconds_left)
            return f"{event.step} {event.done} of {event.total}{left}{what}"
        case _:
            return "; ".join(lines_of(event))
