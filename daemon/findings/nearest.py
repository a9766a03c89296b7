"""The user's own documents that are nearest to a question that nothing answered. Pure.

They may answer it in words that no passage could be recognised by: the user decides.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from daemon.findings.safe_links import outside_link
from daemon.language.stems import stem
from daemon.language.stop_words import is_stop_word
from daemon.language.words import segments
from daemon.model.agenda import Agenda, Choice, Origin
from daemon.model.evidence import Answer, Hit, NearPassage, SourceType
from vault_adapters.inert import inert_line

_SHOWN = 3
_LEAST = 1 / 2  # of the words of the question that the nearest document has
_BARE = 2  # words of a title that does not say what it is of: "Tutorial"
_PAGE_OF_MANUAL = re.compile(r"(?P<name>[\w.+:-]+)\((?P<part>\d\w*)\).*\(\d\w*\)", re.IGNORECASE)
_NUMBER = re.compile(r"^(?:(?:chapter|part|appendix|section) )?[\dA-Z]*[\d.]+\s+", re.IGNORECASE)


def nearest(query: str, answers: Iterable[Answer]) -> list[Hit]:
    """Return the first documents that the user's library found for a query, without those whose
    best passage has far fewer of its words than another's.
    """
    hits = (hit for each in answers if each.query == query for hit in each.hits)
    own = {hit.title: hit for hit in hits if hit.source_type is SourceType.LIBRARY}
    first = list(own.values())[:_SHOWN]
    asked = _stems(query)
    shared = [len(asked & _stems(f"{hit.title} {hit.snippet}")) for hit in first]
    most = max(shared, default=0)
    return [
        hit for hit, number in zip(first, shared, strict=True) if number and number >= _LEAST * most
    ]


def nearest_lines(
    agenda: Agenda,
    answers: Collection[Answer],
    answered: Collection[str],
    telling: Mapping[tuple[str, str], str],
    near: Mapping[str, Sequence[NearPassage]],
) -> Iterator[str]:
    """Yield a line for each question of an agenda that has no answer, but near documents.

    `answered` are the ids of the tasks with an answer; `near` has by task id the passages that a
    cross-encoder put first. For a question that it did not read for, the first documents of the
    library are named; `telling` is, by question and title, a sentence with words of the question.
    """
    asked = [each for each in agenda.tasks if each.choice is Choice.WANTED]
    for task in asked:
        passages = near.get(task.id)
        if passages is None:
            passages = [
                NearPassage(each, "", telling.get((task.query, each.title), ""))
                for each in nearest(task.query, answers)
            ]
        is_asked = task.origin is Origin.QUESTION and task.query.endswith(("?", "？"))
        if not is_asked or task.id in answered or not passages:
            continue
        name = f" to “{inert_line(task.query)}”" if len(asked) > 1 else ""
        yield f"No sure answer; nearest{name} in your library: {'; '.join(map(_shown, passages))}."


def _shown(near: NearPassage) -> str:
    named = outside_link(name_of(near.hit), near.hit.file or near.hit.url)
    section = inert_line(near.section)
    is_named = section.casefold() in near.hit.title.casefold()
    place = named if not section or is_named else f"{named} › {section}"
    return f"{place}: “{inert_line(near.sentence)}”" if near.sentence else place


def name_of(hit: Hit) -> str:
    """Return a title that says what it is of: of a manual's page its name, of a bare word the
    work that it is in, too.
    """
    if page := _PAGE_OF_MANUAL.fullmatch(hit.title.strip()):
        return f"{page['name'].lower()}({page['part']})"
    whole = hit.venue or hit.publisher
    is_bare = len(_NUMBER.sub("", hit.title).split()) <= _BARE
    is_named = whole.casefold() in hit.title.casefold()
    return f"{hit.title}, {whole}" if is_bare and not is_named else hit.title


def _stems(text: str) -> set[str]:
    return {stem(word) for word in segments(text) if not is_stop_word(word)}
