"""The user's own documents that are nearest to a question that nothing answered. Pure.

They may answer it in words that no passage could be recognised by: the user decides.
"""

from collections.abc import Collection, Iterable, Iterator

from daemon.findings.safe_links import outside_link
from daemon.model.agenda import Agenda, Choice, Origin
from daemon.model.evidence import Answer, Hit, SourceType
from vault_adapters.inert import inert_line

_SHOWN = 3


def nearest(query: str, answers: Iterable[Answer]) -> list[Hit]:
    """Return the first documents that the user's library found for a query."""
    hits = (hit for each in answers if each.query == query for hit in each.hits)
    own = {hit.title: hit for hit in hits if hit.source_type is SourceType.LIBRARY}
    return list(own.values())[:_SHOWN]


def nearest_lines(
    agenda: Agenda, answers: Collection[Answer], answered: Collection[str]
) -> Iterator[str]:
    """Yield a sentence for each question of an agenda that has no answer, but near documents.

    `answered` are the ids of the tasks with an answer.
    """
    asked = [each for each in agenda.tasks if each.choice is Choice.WANTED]
    for task in asked:
        found = nearest(task.query, answers)
        if task.origin is not Origin.QUESTION or task.id in answered or not found:
            continue
        links = " · ".join(outside_link(hit.title, hit.file or hit.url) for hit in found)
        name = f" to “{inert_line(task.query)}”" if len(asked) > 1 else ""
        yield f"No sure answer; nearest{name} in your library: {links}."
