"""The review block of a finding: its lines, its ticks, and careful edits around it.

Edits change only our own lines; the user's text between them stays, byte for byte.
"""

import re
from enum import StrEnum

from daemon.model.finding import FindingStatus
from vault_adapters.edit import body_start, set_property


class Box(StrEnum):
    """The three checkboxes, by their labels."""

    ACCEPT = "Accept"
    DISMISS = "Dismiss"
    NEVER = "Never suggest this topic"


_HEADING = "## Review"
_HINT = "Tick one. To leave feedback, add a line that begins with `#good` or `#bad`."
_HINTS = (
    _HINT,
    "Tick one. A line that begins with `#good` or `#bad` tells Lacuna why.",
)  # new, old
REVIEW_BLOCK = "\n".join([_HEADING, "", *(f"- [ ] {box}" for box in Box), "", _HINT, ""])

_LABELS = "|".join(re.escape(box) for box in Box)
# After a label, task plugins add: "✅ 2026-11-21", a block id, a full stop.
_BOX = re.compile(
    rf"^([ \t]*(?:[-*+]|\d+[.)])[ \t]+\[)(.)(\][ \t]+({_LABELS})[.:]?"
    r"(?:[ \t]+[^\w\s].*)?[ \t]*\r?)$",
    re.MULTILINE | re.IGNORECASE,
)
_NEVER = re.compile(_BOX.pattern.replace(_LABELS, re.escape(Box.NEVER)), _BOX.flags)
_OWN_LINES = re.compile(rf"[ \t]*(?:{'|'.join(map(re.escape, (_HEADING, *_HINTS)))})[ \t]*\r?\n?")
_FEEDBACK = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?#(good|bad)\b[ \t:]*(.*?)[ \t]*\r?$", re.M | re.I)
_BOX_BY_LABEL = {box.casefold(): box for box in Box}


def ticked(text: str) -> frozenset[Box]:
    """Return the ticked boxes, anywhere in the body."""
    return frozenset(
        _BOX_BY_LABEL[found.group(4).casefold()]
        for found in _BOX.finditer(text, body_start(text))
        if found.group(2) in "xX"
    )


def feedback(text: str) -> str:
    """Return the user's `#good` and `#bad` lines, one per line, or ""."""
    lines = (
        f"#{found.group(1).lower()} {found.group(2)}".strip()
        for found in _FEEDBACK.finditer(text, body_start(text))
    )
    return "\n".join(lines)


def as_status(text: str, status: FindingStatus, *, never: bool = False) -> str:
    """Return a finding's text with a new status: property, review block and boxes.

    If its topic is `never` to be suggested, that box is ticked: a lost record is restored from the
    note.
    """
    text = set_property(text, "status", status.value)
    start = body_start(text)
    head, body = text[:start], text[start:]
    match status:
        case FindingStatus.ACCEPTED:
            return head + _without_block(body)
        case FindingStatus.DISMISSED:
            return head + (_NEVER.sub(r"\1x\3", body) if never else body)
        case FindingStatus.PENDING:
            return head + _with_fresh_block(body)


def _without_block(body: str) -> str:
    """Remove our lines, and the blank ones between them."""
    if not _BOX.search(body) and not any(hint in body for hint in _HINTS):
        return body
    kept: list[str] = []
    is_after_ours = False
    for line in re.split(r"(?<=\n)", body):
        is_blank = not line.strip()
        if _BOX.fullmatch(line.rstrip("\n")) or _OWN_LINES.fullmatch(line):
            is_after_ours = True
        elif not (is_after_ours and is_blank and (not kept or not kept[-1].strip())):
            kept.append(line)
            is_after_ours = is_after_ours and is_blank
    while is_after_ours and len(kept) > 1 and not kept[-1].strip():
        kept.pop()
    return "".join(kept)


def _with_fresh_block(body: str) -> str:
    """Untick the boxes, or restore the block at the end if it was removed."""
    if _BOX.search(body):
        return _BOX.sub(r"\1 \3", body)
    newline = "\r\n" if "\r\n" in body else "\n"
    return body.rstrip() + newline * 2 + REVIEW_BLOCK.replace("\n", newline)
