"""The numbered headings of a note, which answer a question for a list. For English. Pure."""

import re
from collections.abc import Callable, Sequence

from daemon.asking.follow_up import subject_words
from daemon.asking.statements import may_be_shown_alone
from daemon.index.plain_text import plain
from daemon.language.stems import stem
from daemon.research.bm25 import share_of

_ASKS_FOR_LIST = re.compile(
    r"^\W*(?:which|what (?:are|should|can|do)|how (?:can|do|should|to)|list|name)\b"
    r"|\b(?:steps|ways|tips|rules|reasons|myths|mistakes|habits|types|kinds)\b",
    re.IGNORECASE,
)
# "## 2. Take inventory", "Myth 2: Fat is bad", "**Step 2** …".
_ENTRY = re.compile(
    r"^\W{0,6}(?P<label>[A-Z][a-z]{2,12} )?(?P<number>\d{1,2})\\?[:.)]\W{0,3}\s+(?P<text>\S.*)$"
)
_LONGEST = 110  # characters
_FEWEST, _MOST = 3, 20
_NAMED = 0.7  # weighted share of the question's words that the name of the note has


def asks_for_outline(question: str, name: str, rarity: Callable[[str], float]) -> bool:
    """Return whether a question asks for a list, and a note has its subject as its name."""
    weights = {stem(word): rarity(word) for word in subject_words(question)}
    return bool(_ASKS_FOR_LIST.search(question)) and share_of(weights, name) >= _NAMED


def outline_of(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the numbered headings, from 1 on, as they are written and as they are shown."""
    found: list[tuple[str, str]] = []
    for line in lines:
        entry = _ENTRY.match(line)
        if entry is None or int(entry["number"]) != len(found) + 1 or len(line) > _LONGEST:
            continue
        if may_be_shown_alone(line):
            label, text = entry["label"] or "", plain(entry["text"])
            mark = f"{label}{entry['number']}{':' if label else '.'}"
            found.append((line.strip(), f"{mark} {text}"))
    return found[:_MOST] if len(found) >= _FEWEST else []
