"""Where in a document's text its pages begin, found by the words they begin with."""

import re
from collections import defaultdict
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_RUN = 5  # words that are compared at once
_LOOKED_AT = 150  # words of a page: a running head and a table may come first


def page_places(pages: Sequence[str], text: str) -> list[tuple[int, str]]:
    """Return offset and name of each page of `pages` that is found in `text`, ascending.

    `text` was made of the pages in their order; what was dropped, joined or tidied meanwhile does
    not matter. What a page holds whose words are not found is on that page or the one before.
    """
    words = [(found.start(), found[0].casefold()) for found in _WORD.finditer(text)]
    runs: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for at in range(len(words) - _RUN + 1):
        runs[tuple(word for _, word in words[at : at + _RUN])].append(at)
    begun: list[tuple[int, int, int]] = []  # offset, first and last page from there
    last = -1
    for number, page in enumerate(pages, start=1):
        own = [found[0].casefold() for found in _WORD.finditer(page)]
        start = _found(own, words, runs, last)
        if start is not None:
            last = start
            begun.append((words[start][0], number, number))
        elif own and begun:
            begun[-1] = (*begun[-1][:2], number)
    return [
        (at, f"p. {first}" if first == until else f"pp. {first}–{until}")
        for at, first, until in begun
    ]


def _found(
    own: Sequence[str],
    words: Sequence[tuple[int, str]],
    runs: dict[tuple[str, ...], list[int]],
    last: int,
) -> int | None:
    """Return the first word of `words`, after `last`, that the page begins with."""
    for skipped in range(min(_LOOKED_AT, len(own) - _RUN + 1)):
        later = [at for at in runs.get(tuple(own[skipped : skipped + _RUN]), ()) if at > last]
        if not later:
            continue
        at = later[0]
        while skipped > 0 and at - 1 > last and words[at - 1][1] == own[skipped - 1]:
            at, skipped = at - 1, skipped - 1  # noqa: PLW2901 back to where they part
        return at
    return None
