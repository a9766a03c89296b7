"""What notes say on a topic that they are not about. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.asking.lists import leads
from daemon.asking.statements import Passage
from daemon.model.finding import NoteLine
from daemon.reports.cores import line_of
from daemon.reports.note_units import Unit, is_story, points, units_of
from daemon.reports.telling import fits, is_whole
from daemon.reports.topic import Topic
from daemon.research.bm25 import terms

_BEGINNING = 8  # words in which a sentence names what it is about
_FEWEST_WORDS = 2
_ITEMS = 8  # of a list
_LONG = 5  # units of a note, in which a single mention says little on the topic


@dataclass(frozen=True, slots=True)
class Mention:
    """What a note says on a topic; `is_passing` if that is one sentence of a long note."""

    line: NoteLine
    is_passing: bool
    worth: float


def mention_of(passages: Sequence[Passage], topic: Topic) -> Mention | None:
    """Return what a note says on a topic, whole; None if no sentence names it."""
    units = units_of(passages, topic.is_in)
    naming = (each for unit in units if (each := _naming(unit, topic)) is not None)
    found = [each for each in naming if _says_more(each, topic)]
    if not found:
        return None
    best = max(found, key=lambda each: (_worth(each, topic), -each.place))
    headed = any(topic.is_in(each.section.heading) for each in units)
    is_passing = len(found) == 1 and len(units) >= _LONG and not headed
    worth = _worth(best, topic) + 0.3 * min(len(found), 5)
    return Mention(line_of(best, passages[0].ref), is_passing, worth)


def _naming(unit: Unit, topic: Topic) -> Unit | None:
    """Return a unit that names a topic: of a list the items that do, or all with its lead."""
    if not unit.below or unit.is_code:
        return unit if topic.is_in(unit.text) else None
    if topic.is_in(unit.text) and not leads(unit.text):
        return replace(unit, below=())
    if topic.is_in(unit.text) or topic.is_in(unit.section.heading):
        more = len(unit.below) - _ITEMS
        shown = (*unit.below[:_ITEMS], f"({more} more)") if more > 1 else unit.below
        return replace(unit, below=shown)
    items = [each for each in unit.below if topic.is_in(each) and not each.endswith("?")]
    return replace(unit, below=tuple(map(str.strip, items))) if items else None


def _says_more(unit: Unit, topic: Topic) -> bool:
    """Return whether a unit says something besides the name of the topic."""
    said = set(terms(f"{unit.text} {' '.join(unit.below)}")) - set(terms(topic.text))
    if unit.text[:1] in set("}])>"):
        return False
    return len(said) >= _FEWEST_WORDS and not points(unit.text or unit.below[0])


def _worth(unit: Unit, topic: Topic) -> float:
    """Return how much a unit is about a topic, by its form."""
    naming = [each for each in (*unit.sentences, *unit.below) if topic.is_in(each)]
    first = naming[0] if naming else unit.text
    begins = topic.is_in(" ".join(first.split()[:_BEGINNING]))
    worth = 1.0 * begins + 0.5 * fits(first) + 0.5 * is_whole(first)
    return worth + 0.2 * len(naming) - 1.0 * is_story(first)
