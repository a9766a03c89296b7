"""Whether a run reached anything: one that did not is retried, and is not "nothing new"."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from daemon.model.agenda import Origin
from daemon.model.evidence import Answer, FetchOutcome, SourceStatus
from daemon.model.source_names import source_name
from daemon.research.offered import active_tasks
from daemon.research.run_record import RunResult
from daemon.store.evidence import RunFolder

_NAMED = 4  # sources
_ANSWERED = (SourceStatus.OK, SourceStatus.EMPTY)


def unreached(result: RunResult, folder: RunFolder, local: Collection[str]) -> str:
    """Return on one line why a run could read nothing, or "" for one with a result.

    A run without findings reached nothing if none of its network sources answered, if no document
    could be retrieved for now, or if a budget or deadline ended it before one was read. Content of
    local sources (`local`) does not count as an answer of the others. A run that the user ended has
    a result, and so has one whose questions are all answered in earlier findings: the user's own,
    if there are any.
    """
    if result.findings or (result.stopped_early and not result.stopped_why):
        return ""
    tasks = active_tasks(folder.agenda)
    asked_by_user = [task for task in tasks if task.origin is Origin.QUESTION] or tasks
    if result.answered and all(task.id in result.answered for task in asked_by_user):
        return ""
    tried = folder.outcomes()
    has_read = any(each.document is not None for each in tried)
    if result.stopped_why and not has_read:
        return f"stopped before anything was read: {result.stopped_why}"
    distant = [each for each in result.answers if each.source not in local]
    asked = distant or result.answers
    if asked and not any(map(_has_answered, asked)):
        return f"could not reach {_listed(asked)}"
    if tried and not has_read and all(each.is_transient for each in tried):
        return f"could not read what was found ({_commonest(tried)})"
    return ""


def not_reached(answers: Iterable[Answer]) -> dict[str, str]:
    """Return source → why, for those that answered no question."""
    found: dict[str, list[Answer]] = {}
    for answer in answers:
        found.setdefault(answer.source, []).append(answer)
    return {
        name: next((each.why for each in answers_of if each.why), "")
        for name, answers_of in found.items()
        if not any(map(_has_answered, answers_of))
    }


def _has_answered(answer: Answer) -> bool:
    return answer.status in _ANSWERED or bool(answer.hits)


def _listed(answers: Sequence[Answer]) -> str:
    """Name the sources with the reason, once if all have the same."""
    reasons = not_reached(answers)
    names = sorted(map(source_name, reasons))
    if len(names) > _NAMED:
        shown = f"{len(names)} sources"
    else:
        shown = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    if len(set(reasons.values())) == 1 and (why := next(iter(reasons.values()))):
        return f"{shown} ({why})"
    if len(names) > _NAMED:
        return f"{shown} (most often: {Counter(reasons.values()).most_common(1)[0][0]})"
    return ", ".join(
        f"{source_name(name)} ({why})" if why else source_name(name)
        for name, why in sorted(reasons.items())
    )


def _commonest(tried: Iterable[FetchOutcome]) -> str:
    return Counter(each.why for each in tried).most_common(1)[0][0]
