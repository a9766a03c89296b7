"""Tasks that a document names: list items under a heading such as "Next steps", and its TODOs."""

import re
from collections.abc import Iterator

from daemon.research.instructions import is_aside_to_machines, is_suspect

MAX_ACTIONS = 20
_LENGTH = (4, 240)  # characters
_HEADING = re.compile(
    r"^[ \t]*(?:\#{1,6}[ \t]*)?\**(?:\d+(?:\.\d+)*\.?[ \t]+)?(?:to[ -]?dos?(?: list)?|next steps?"
    r"|action (?:items?|points?)|actions|tasks?(?: list)?|follow[ -]?ups?|open tasks"
    r"|nächste schritte|aufgaben|prochaines étapes|próximos pasos|待办)\**[ \t]*:?\**[ \t]*$",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"^[ \t]*(?:[-*+•‣▪]|\(?\d{1,2}[.)])[ \t]+(?:\[(?P<box>.)\][ \t]+)?(?P<text>\S.*)$"
)
_INLINE = re.compile(
    r"^[ \t>]*(?:[-*+•][ \t]+)?(?:TODO|FIXME|ACTION|AI)(?:\([^)\n]{0,40}\))?:[ \t]*(\S.*)$"
)
_OTHER_HEADING = re.compile(r"^[ \t]*(?:\#{1,6}[ \t]|\*\*[^*\n]+\*\*[ \t]*$)")
# What a page wants its reader to do for it, under the heading "Next steps".
_ADVERTISES = re.compile(
    r"\b(?:check out|subscribe|sign up|shop|newsletter|discount|coupon|follow (?:me|us)"
    r"|join (?:me|us|my|our)|(?:order|buy|get|read|download|book) (?:my|our|your copy)"
    r"|(?:my|our) (?:\w+ ){0,4}(?:book|course|channel|program|podcast|membership))\b",
    re.IGNORECASE,
)
_OPEN_BOX = " "


def action_items(text: str, end: int) -> tuple[str, ...]:
    """Return the tasks before `end` of a text, each on one line, in order; done ones are omitted.

    A box that is not ticked is a task wherever it is.
    """
    found: dict[str, None] = {}
    for task in _tasks(text[:end].split("\n")):
        line = " ".join(task.split()).rstrip(";,")
        is_task = _LENGTH[0] <= len(line) <= _LENGTH[1]
        is_meant = not (is_suspect(line) or is_aside_to_machines(line) or _ADVERTISES.search(line))
        if is_task and is_meant:
            found[line] = None
    return tuple(found)[:MAX_ACTIONS]


def _tasks(lines: list[str]) -> Iterator[str]:
    is_under = False
    for line in lines:
        item, inline = _ITEM.match(line), _INLINE.match(line)
        if inline is not None:
            yield inline[1]
        elif _HEADING.match(line):
            is_under = True
        elif item is not None and (item["box"] == _OPEN_BOX or (is_under and not item["box"])):
            yield item["text"]
        elif item is None and _ends(line):
            is_under = False


def _ends(line: str) -> bool:
    """Return whether a line ends a list of tasks: a heading, or a paragraph of its own."""
    is_continued = line.startswith((" ", "\t"))
    return bool(_OTHER_HEADING.match(line)) or (bool(line.strip()) and not is_continued)
