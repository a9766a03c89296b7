"""Whether a run reached anything: one that did not is tried again, and is not "nothing new"."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from daemon.findings.safe_links import source_name
from daemon.model.evidence import Answer, FetchOutcome, SourceStatus
from daemon.research.offered import wanted
from daemon.research.record import RunResult
from daemon.store.evidence import RunFolder

_NAMED = 4  # sources
_ANSWERED = (SourceStatus.OK, SourceStatus.EMPTY)


def unreached(result: RunResult, folder: RunFolder, local: Collection[str]) -> str:
    """Say on one line why a run could read nothing, or "" for one that has a result.

    A run without findings reached nothing when none of its sources on the network answered, when
    no document could be had for now, or when a budget or the time ended before one was read. What
    the sources of this machine (`local`) hold is no answer of the others. A run that the user
    ended has a result: theirs; so has one all of whose questions are answered in earlier findings.
    """
    if result.findings or (result.stopped_early and not result.stopped_why):
        return ""
    if result.answered and all(task.id in result.answered for task in wanted(folder.agenda)):
        return ""
    tried = folder.outcomes()
    has_read = any(each.document is not None for each in tried)
    if result.stopped_why and not has_read:
        return f"it ended before anything was read, as {result.stopped_why}"
    distant = [each for each in result.answers if each.source not in local]
    asked = distant or result.answers
    if asked and not any(map(_has_answered, asked)):
        return f"could not reach {_listed(asked)}"
    if tried and not has_read and all(each.is_transient for each in tried):
        return f"could not read what was found ({_commonest(tried)})"
    return ""


def not_reached(answers: Iterable[Answer]) -> dict[str, str]:
    """Return source → why, of those that gave no answer to any question."""
    found: dict[str, list[Answer]] = {}
    for answer in answers:
        found.setdefault(answer.source, []).append(answer)
    return {
        name: next((each.why for each in said if each.why), "")
        for name, said in found.items()
        if not any(map(_has_answered, said))
    }


def _has_answered(answer: Answer) -> bool:
    return answer.status in _ANSWERED or bool(answer.hits)


def _listed(answers: Sequence[Answer]) -> str:
    """Name the sources with the reason, which is said once where all have the same."""
    whys = not_reached(answers)
    names = sorted(map(source_name, whys))
    if len(names) > _NAMED:
        shown = f"{len(names)} sources"
    else:
        shown = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    if len(set(whys.values())) == 1 and (why := next(iter(whys.values()))):
        return f"{shown} ({why})"
    if len(names) > _NAMED:
        return f"{shown} (most often: {Counter(whys.values()).most_common(1)[0][0]})"
    return ", ".join(
        f"{source_name(name)} ({why})" if why else source_name(name)
        for name, why in sorted(whys.items())
    )


def _commonest(tried: Iterable[FetchOutcome]) -> str:
    return Counter(each.why for each in tried).most_common(1)[0][0]
