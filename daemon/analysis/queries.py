"""What a gap of the vault is searched for: its query, checked, or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.analysis.asking import Known, query_of, trouble_with, weight
from daemon.analysis.names import target_name
from daemon.analysis.phrases import phrases_of
from daemon.analysis.subject import note_topic
from daemon.analysis.view import View
from daemon.analysis.words import is_dated, words_of
from daemon.analysis.works import identities, is_work, subjects
from daemon.model.agenda import Gap, GapShape

KEYWORD_NOTES = 6
_READ_NOTES = 40  # of an area, whose words are known
_WORKS = 20  # of an area, that are excluded
_MEMBERS = 6  # of an area, whose names may stand beside its label
_OF_AREA = (GapShape.DENSE, GapShape.SPARSE)


@dataclass(frozen=True, slots=True)
class Refused:
    """A topic that is not proposed because no query for it passes the check."""

    topic: str
    note: str | None
    query: str
    why: str


class Queries:
    """Composes the queries of a vault's gaps."""

    def __init__(self, view: View) -> None:
        self._view = view
        notes = view.notes.values()
        names = [name for note in notes for name in (note.title, *note.aliases)]
        headings = [heading.text for note in notes for heading in note.headings]
        targets = [target_name(each.target) for each in view.unresolved]
        self._known = Known([*names, *headings, *targets])

    def ask(self, gap: Gap) -> Gap | Refused:
        """Return the gap with its query, or why it is not proposed."""
        asked = self._asked(gap)
        texts = (self._view.texts.get(path, "") for path in gap.notes[:_READ_NOTES])
        trouble = trouble_with(asked.query, (self._known, Known(texts)))
        if trouble:
            return Refused(gap.topic, gap.notes[0] if gap.notes else None, asked.query, trouble)
        return asked

    def _asked(self, gap: Gap) -> Gap:
        if gap.shape is GapShape.DANGLING:
            return self._of_missing(gap)
        own = note_topic(self._view.titles[gap.notes[0]])
        is_area = gap.shape in _OF_AREA or gap.topic != own
        return self._of_area(gap) if is_area else self._of_note(gap)

    def _of_note(self, gap: Gap) -> Gap:
        path = gap.notes[0]
        note, text = self._view.notes[path], self._view.texts.get(path, "")
        headings = [heading.text for heading in note.headings]
        names = self._view.lexicon.names
        if is_work(note.frontmatter, text):
            about = subjects(note.title, headings, text, names)
            return replace(
                gap,
                query=about[0] if about else "",
                topic=about[0] if about else gap.topic,
                keywords=tuple(about),
                excluded=identities(note.title, note.frontmatter),
            )
        phrases = [phrase.text for phrase in phrases_of(note.title, headings, text, names)]
        if gap.shape is GapShape.THIN:
            phrases += self._said_by(gap.notes[1:])
        return replace(gap, query=query_of(gap.topic, phrases), keywords=tuple(phrases))

    def _of_missing(self, gap: Gap) -> Gap:
        phrases = self._said_by(gap.notes)
        return replace(gap, query=query_of(gap.topic, phrases), keywords=tuple(phrases))

    def _of_area(self, gap: Gap) -> Gap:
        notes = [self._view.notes[path] for path in gap.notes[:_WORKS]]
        works = [note for note in notes if is_work(note.frontmatter, "")]
        subject, _, more = gap.topic.partition(", ")
        titles = (self._view.titles[path] for path in gap.notes[1:_MEMBERS])
        members = [name for name in titles if len(name.split()) <= 4 and not is_dated(name)]
        phrases = [*_whole_first(gap.keywords), *filter(None, [more]), *members]
        return replace(
            gap,
            query=query_of(subject, phrases, in_context=True),
            excluded=tuple(
                each for note in works for each in identities(note.title, note.frontmatter)
            ),
        )

    def _said_by(self, paths: Sequence[str]) -> list[str]:
        """What the notes that name something say, then what they are called; diaries aside."""
        titles = self._view.titles
        naming = [path for path in paths if path in titles and not is_dated(titles[path])]
        said = self._view.lexicon.keywords(naming[:KEYWORD_NOTES]) if naming else ()
        called = sorted((titles[path] for path in naming[:KEYWORD_NOTES]), key=len)
        return _whole_first([*said, *(name for name in called if len(words_of(name)) <= 3)])


def _whole_first(phrases: Sequence[str]) -> list[str]:
    """Put phrases of several words, and acronyms, before single words."""
    return sorted(phrases, key=lambda phrase: weight(phrase) < 2 and not phrase[1:2].isupper())
