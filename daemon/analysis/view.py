"""All data of one analysis, for the search for gaps."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from daemon.analysis.ages import Age
from daemon.analysis.graph import LinkGraph
from daemon.analysis.health import Cluster, Unresolved
from daemon.analysis.lexicon import Lexicon
from daemon.analysis.meaning import MeaningGraph
from daemon.analysis.note_facts import Reading
from daemon.model.notes import NoteRow
from daemon.model.wording import counted, quoted

NAMED_IN_A_SENTENCE = 3
_BRACKETS = "; links of daily notes, templates and excluded notes do not count"


@dataclass(frozen=True, slots=True)
class View:
    """One analysis of a vault. `notes` are those that count; `titles` also has the canvases."""

    notes: Mapping[str, NoteRow]
    titles: Mapping[str, str]
    graph: LinkGraph
    meaning: MeaningGraph
    lexicon: Lexicon
    clusters: tuple[Cluster, ...]
    unresolved: tuple[Unresolved, ...]
    ages: Mapping[str, Age]
    texts: Reading
    stale: Mapping[str, Sequence[str]]  # each with what was touched around it since
    now: datetime
    stale_days: int
    excluded: frozenset[str]  # notes that are linked with a daily note, a template or the like
    subject: Callable[[str], str]  # of a title, "" if it names none
    dated: frozenset[str]  # notes and canvases with a date in their title
    is_dotted: bool  # whether note files are named by a hierarchy with dots, as in Dendron

    def name(self, path: str) -> str:
        """A note's title in quotation marks."""
        return quoted(self.titles[path])

    def names(self, paths: Sequence[str]) -> str:
        """The first few notes by name, and how many more there are."""
        shown = paths if len(paths) == NAMED_IN_A_SENTENCE + 1 else paths[:NAMED_IN_A_SENTENCE]
        shown_names = [self.name(path) for path in shown]
        more = len(paths) - len(shown)
        if more:
            return f"{', '.join(shown_names)} and {more} more"
        return (
            shown_names[0]
            if len(shown_names) == 1
            else f"{', '.join(shown_names[:-1])} and {shown_names[-1]}"
        )

    def linking(self, paths: Iterable[str], other: str = "") -> str:
        """Return how many notes and canvases link: `1 note links`, `2 notes and 1 canvas link`."""
        among = list(paths)
        return f"{self.many(among, other)} {'links' if len(among) == 1 else 'link'}"

    def many(self, paths: Sequence[str], other: str = "") -> str:
        """Return how many notes and canvases there are: a canvas is not a note."""
        notes = sum(path in self.notes for path in paths)
        shown_names = [counted(notes, f"{other}note")] if notes or not paths else []
        if len(paths) > notes:
            shown_names.append(counted(len(paths) - notes, f"{other}canvas", f"{other}canvases"))
        return " and ".join(shown_names)

    def but_for(self, path: str) -> str:
        """Describe what is not counted, if anything."""
        return _BRACKETS if path in self.excluded else ""

    def is_about_something(self, path: str) -> bool:
        """Return whether a note seems to have a subject, and is not a diary, a letter or a log."""
        return path not in self.dated and not self.texts.is_personal(path)

    def times(self, paths: Iterable[str]) -> list[datetime | None]:
        """Return the last known edit of each note."""
        return [self.ages[path].since_at for path in paths if path in self.ages]
