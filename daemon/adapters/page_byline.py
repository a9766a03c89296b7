"""Who wrote a page: as its JSON-LD states it, else by the line below its title. All are claims."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from daemon.adapters.page_blocks import Block
from daemon.adapters.page_objects import kinds_of, listed, text_of

_WORKS = ("article", "posting", "report", "review", "webpage")
_NEAR = 40  # blocks in which the line is
_LONGEST = 120  # characters of it
_HEAD = r"(?:(?:written|reported|posted|published|story|words|article) )?by:?"
_BY = re.compile(rf"^{_HEAD}\s+", re.IGNORECASE)
_NAME = r"[A-Z][\w.'’-]+(?: (?:(?:van|von|de|der|la|bin|al) )*[A-Z][\w.'’-]*){1,3}"
_LINE = re.compile(
    rf"^(?i:{_HEAD})\s+(?P<name>(?:(?:Dr|Prof)\. )?{_NAME})"
    r"(?=$|,|\s*[|·•—–(]|\s+(?:on|in|for|and|at|updated|\d))"
)


def stated_authors(objects: Sequence[dict[str, Any]]) -> list[str]:
    """Return the authors of the work that a page says it is, without their roles."""
    for each in objects:
        if any(kind.endswith(_WORKS) for kind in kinds_of(each)):
            names = [_tidy(name) for name in _names(each)]
            if found := [name for name in names if name]:
                return list(dict.fromkeys(found))
    return []


def _names(each: dict[str, Any]) -> Iterator[str]:
    for author in listed(each.get("author")):
        if not (isinstance(author, dict) and "organization" in kinds_of(author)):
            yield text_of(author)


def _tidy(name: str) -> str:
    bare = _BY.sub("", name).split(",")[0].strip()
    return bare.title() if bare.isupper() and " " in bare else bare


def byline(blocks: Sequence[Block]) -> list[str]:
    """Return the name in a line such as "Written by Ada Ebb, MS, on March 3"."""
    for block in blocks[:_NEAR]:
        line = " ".join(block.text.split())
        found = _LINE.match(line) if len(line) <= _LONGEST else None
        if found is not None:
            return [found["name"]]
    return []
