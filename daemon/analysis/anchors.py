"""Groups of notes, each around the one that holds it together.

    damp the hubs | choose anchors | every note to its nearest | small groups to others | settle

Every step looks no farther than two links, so that an edit changes what is near it, and nothing
else. Methods that weigh the whole vault at once (modularity) move notes that nobody touched.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import blake2b

Weights = Mapping[tuple[str, str], float]
Chances = Mapping[str, Mapping[str, float]]
Homes = dict[str, str]

# How much of a hub's weight is taken from it: 0 lets a list of contents hold all it lists, 1 makes
# every note as heavy as any other.
DAMPED = 0.7
# A note that is tied with more of the vault than this (its list of contents) tells no two notes
# apart: it belongs where most of its ties lead, and holds nothing.
CONTENTS_SHARE, CONTENTS_TIES = 0.4, 20
# A note from which an anchor is reached more often than this, in one step or two, is no anchor.
APART = 0.04
LEAST_HELD = 6  # notes, the anchor too; a smaller group goes to its neighbours, where it has any
ROUNDS = 2  # in which notes look again where most of what is near them went


def grouped(
    notes: Collection[str], weights: Weights, tells: Callable[[str], bool]
) -> dict[str, set[str]]:
    """Return anchor → its group, of the notes that belong to any.

    `weights` say of pairs how strongly they belong together, and are in path order. A note that
    `tells` what a group is about is an anchor before any that does not.
    """
    lists = _lists_of_contents(weights, among=len(set(notes)))
    among = weights
    if lists:
        among = {pair: weight for pair, weight in weights.items() if lists.isdisjoint(pair)}
    chances = _chances((note for note in notes if note not in lists), among)
    held = {note: sum(to.values()) for note, to in chances.items()}
    for note, ways in chances.items():  # in place: of a large vault they are tens of megabytes
        for to in ways:
            ways[to] /= held[note]
    reach = _Reach(chances)
    order = sorted(held, key=lambda note: (not tells(note), -round(held[note], 9), _lot(note)))
    anchors = [note for note in order if held[note] and reach.add(note)]
    homes = _without_small(anchors, reach, chances)
    kept = frozenset(homes.values())
    for _ in range(ROUNDS):
        homes = _settled(homes, kept, chances)
    homes |= _of_lists(lists, homes, weights)
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for note, anchor in homes.items():
        groups[anchor].add(note)
    return dict(groups)


def _lists_of_contents(weights: Weights, among: int) -> frozenset[str]:
    ties = Counter(note for pair in weights for note in pair)
    most = max(CONTENTS_TIES, CONTENTS_SHARE * among)
    return frozenset(note for note, count in ties.items() if count > most)


def _of_lists(lists: Collection[str], homes: Homes, weights: Weights) -> Homes:
    """The group that most of what each list names is in."""
    around: dict[str, defaultdict[str, float]] = {note: defaultdict(float) for note in lists}
    for pair, weight in weights.items():
        for one, other in (pair, pair[::-1]):
            if one in around and other in homes:
                around[one][homes[other]] += weight
    return {note: _most(told) for note, told in around.items() if told}


def _most(told: Mapping[str, float]) -> str:
    return min(told, key=lambda anchor: (-round(told[anchor], 9), anchor))


def _chances(notes: Iterable[str], weights: Weights) -> dict[str, dict[str, float]]:
    """For each note, how strongly it is held by each of its neighbours; hubs hold less."""
    strength: defaultdict[str, float] = defaultdict(float)
    for pair, weight in weights.items():
        for note in pair:
            strength[note] += weight
    ways: dict[str, dict[str, float]] = {note: {} for note in notes}
    for (one, other), weight in weights.items():
        damped = weight / (strength[one] * strength[other]) ** (DAMPED / 2)
        ways[one][other] = ways[other][one] = damped
    return ways


class _Reach:
    """How likely each note comes by an anchor in one step or two, and by which the likeliest."""

    def __init__(self, chances: Chances) -> None:
        self._chances = chances
        self.best: dict[str, tuple[float, str]] = {}

    def add(self, anchor: str) -> bool:
        """Take a note as an anchor, unless it is near one already."""
        if self.best.get(anchor, (0.0, ""))[0] >= APART:
            return False
        self.take(anchor)
        return True

    def take(self, anchor: str) -> None:
        for note, chance in _reaching(anchor, self._chances).items():
            if chance > self.best.get(note, (0.0, ""))[0]:
                self.best[note] = chance, anchor

    def homes(self, anchors: Iterable[str]) -> Homes:
        own = {anchor: anchor for anchor in anchors}
        return {note: anchor for note, (_, anchor) in self.best.items()} | own


def _reaching(anchor: str, chances: Chances) -> dict[str, float]:
    """How likely a walk of one step or two leads from each note to the anchor, if at all."""
    found: defaultdict[str, float] = defaultdict(float)
    for near in chances[anchor]:
        step = chances[near][anchor]
        found[near] += step
        for far in chances[near]:
            found[far] += chances[far][near] * step
    return found


def _without_small(anchors: Collection[str], reach: _Reach, chances: Chances) -> Homes:
    """Give the notes of small groups to larger ones near them; one that has none stays."""
    homes = reach.homes(anchors)
    sizes = Counter(homes.values())
    large = [anchor for anchor in anchors if sizes[anchor] >= LEAST_HELD]
    among = _Reach(chances)
    for anchor in large:
        among.take(anchor)
    beside = {anchor for note, anchor in homes.items() if note in among.best}
    alone = [anchor for anchor in anchors if sizes[anchor] < LEAST_HELD and anchor not in beside]
    for anchor in alone:
        among.take(anchor)
    return among.homes((*large, *alone))


def _settled(homes: Homes, anchors: Collection[str], chances: Chances) -> Homes:
    """Let each note go where most of what is within two steps of it is; anchors stay."""
    beside: dict[str, defaultdict[str, float]] = {}
    for note, ways in chances.items():
        beside[note] = defaultdict(float)
        for near, chance in ways.items():
            if near in homes:
                beside[note][homes[near]] += chance
    settled = {anchor: anchor for anchor in anchors}
    for note, ways in chances.items():
        if note in settled:
            continue
        around = defaultdict(float, beside[note])
        for near, chance in ways.items():
            for anchor, share in beside[near].items():
                around[anchor] += chance * share
        if around:
            settled[note] = _most(around)
    return settled


def _lot(path: str) -> bytes:
    return blake2b(path.encode(), digest_size=8).digest()
