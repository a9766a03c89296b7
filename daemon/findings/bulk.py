"""The boxes of a digest, which decide its findings without opening them. Pure.

Each of our lines ends in a block id, which identifies it however it is moved or reworded.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from daemon.model.finding import FindingStatus
from vault_adapters.edit import body_start

ALL = "all"
_BOXES = {"accept": FindingStatus.ACCEPTED, "dismiss": FindingStatus.DISMISSED}
_LINE = re.compile(
    r"^([ \t]*(?:[-*+]|\d+[.)])[ \t]+\[)(.)(\].*?\^(accept|dismiss)-([0-9A-Za-z-]+)\b.*)$", re.M
)
_ENTRY = re.compile(r"^.*\^run-[0-9A-Za-z-]+[ \t]*\r?$", re.M)  # where the next run's entry begins


@dataclass(frozen=True, slots=True)
class Choice:
    """The decision in the boxes of a finding: a status, or None if they contradict each other; and
    why.
    """

    status: FindingStatus | None
    why: str


def box_lines(id: str, verbs: Iterable[str] = _BOXES) -> list[str]:
    """Return the boxes of a finding, to go below its line."""
    return [f"  - [ ] {verb.capitalize()} ^{verb}-{id}" for verb in verbs]


def all_lines(verbs: Iterable[str] = _BOXES) -> list[str]:
    """Return the boxes for all findings of an entry that have no tick of their own."""
    return [f"- [ ] {verb.capitalize()} all ^{verb}-{ALL}" for verb in verbs]


def choices(text: str) -> dict[str, Choice]:
    """Return the choice for each finding with boxes in a digest, by its id.

    A box for all applies to the findings of its own run's entry.
    """
    found: dict[str, Choice] = {}
    for entry in _ENTRY.split(text[body_start(text) :]):
        ticked: defaultdict[str, set[str]] = defaultdict(set)
        for line in _LINE.finditer(entry):
            is_ticked = line.group(2) in "xX"
            ticked[line.group(5)] |= {line.group(4)} if is_ticked else set()
        for_all = ticked.pop(ALL, set())
        found |= {id: _choice(own, for_all) for id, own in ticked.items()}
    return found


def show(text: str, statuses: Mapping[str, FindingStatus], *, settled: bool) -> str:
    """Tick the decisions on a digest's findings; every other byte stays.

    Findings that are not among `statuses` keep their boxes. The boxes for all are unticked when
    everything is `settled`: they have done their work.
    """
    start = body_start(text)

    def shown(line: re.Match[str]) -> str:
        verb, id = line.group(4), line.group(5)
        if id == ALL:
            mark = " " if settled else line.group(2)
        elif id in statuses:
            mark = "x" if statuses[id] is _BOXES[verb] else " "
        else:
            mark = line.group(2)
        return f"{line.group(1)}{mark}{line.group(3)}"

    return text[:start] + _LINE.sub(shown, text[start:])


def _choice(own: Collection[str], for_all: Collection[str]) -> Choice:
    status, suffix = (own, "") if own else (for_all, " all")
    if not status:
        return Choice(FindingStatus.PENDING, "its tick was removed from the digest")
    named = " and ".join(f"“{verb.capitalize()}{suffix}”" for verb in sorted(status))
    if len(status) > 1:
        return Choice(None, f"{named} were both ticked in the digest")
    (verb,) = status
    return Choice(_BOXES[verb], f"{named} was ticked in the digest")
