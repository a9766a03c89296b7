"""The queue note: the user's questions, and Lacuna's ticks. Pure.

A question is a line of its own: `- [ ] topic`, or the address of a page, with or without a box.
With a box, there may be words next to the address, as phones share pages with their titles.
`- [ ] ingest PATH`, or `ingest` and an address, asks for a literature note.
Everything else in the note is the user's, and stays unchanged.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from daemon.model.topics import topic_key
from vault_adapters.edit import body_start, stamp

QUEUE = "queue"  # the note's lacuna_id and type
_MAX_LENGTH = 500  # characters of one question
_BOX = re.compile(
    r"(?P<begin>[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)\[ \](?P<gap>[ \t]+)(?P<asked>\S.*)"
)
_BARE = re.compile(r"(?P<begin>[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?)(?P<asked>\S+)[ \t]*")
_ADDRESS = re.compile(r"https?://[^\s<>\"\[\]]+", re.IGNORECASE)
_AFTER = ".,;:!?)'»”’"  # ends a sentence, not an address in it
_LINK = re.compile(r"\[([^\]]*)\]\((https?://[^\s)]+)\)", re.IGNORECASE)
_WIKILINK = re.compile(r"!?\[\[([^\]|]*)(?:\|([^\]]*))?\]\]")
_INPUT = re.compile(r"ingest:?[ \t]+((?:https?://|/|~/)\S.{0,480})", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]*(```|~~~)")


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One question of the queue: a topic in words, or the address of a page.

    With `is_input`, it is the path or the address of a document to take in.
    """

    text: str
    is_page: bool
    is_input: bool = False

    @property
    def key(self) -> str:
        """The key of equal questions; "" for an empty one."""
        if self.is_input:
            return f"ingest {self.text}"
        return self.text if self.is_page else topic_key(self.text)


def queue_text(created_at: datetime, *, most: int, until: str, tz: tzinfo) -> str:
    """Return the initial note."""
    return (
        f"---\ntype: {QUEUE}\nlacuna_id: {QUEUE}\ncreated: {stamp(created_at, tz)}\n---\n"
        "Add one topic, question or page address per line with a checkbox, or `ingest` and the path"
        " or address of a document for a note about it. Each night, Lacuna"
        f" researches up to {most} lines until {until}, ticks completed lines and links the"
        " results. The rest stay for the next night.\n\n- [ ] \n"
    )


def entries_in(text: str) -> list[QueueEntry]:
    """Return the open questions of a queue note in order, each once."""
    found: dict[str, QueueEntry] = {}
    for _, _, asked in _lines(text):
        if asked is not None and asked.key:
            found.setdefault(asked.key, asked)
    return list(found.values())


def ticked(text: str, answers: Mapping[str, str]) -> str:
    """Tick the answered questions; `answers` is key → the text next to them."""
    edited = text[: body_start(text)]
    for line, match, asked in _lines(text):
        answer = answers.get(asked.key) if asked is not None else None
        if match is None or answer is None:
            edited += line
            continue
        end = line[len(line.rstrip("\r\n")) :]
        begin = match["begin"] or "- "
        edited += f"{begin}[x] {match['asked'].rstrip()} → {answer}{end}"
    return edited


def _lines(text: str) -> Iterator[tuple[str, re.Match[str] | None, QueueEntry | None]]:
    """Yield the lines of the body with their questions; code contains none."""
    fence = ""
    for line in re.findall(r"[^\n]*\n|[^\n]+\Z", text[body_start(text) :]):
        marks = _FENCE.match(line)
        if marks is not None and fence in ("", marks[1]):
            fence = "" if fence else marks[1]
        match = None if fence or marks is not None else _open(line.rstrip("\r\n"))
        yield line, match, _asked(match["asked"]) if match is not None else None


def _open(line: str) -> re.Match[str] | None:
    boxed = _BOX.fullmatch(line)
    if boxed is not None:
        return boxed
    bare = _BARE.fullmatch(line)
    return bare if bare is not None and _address(bare["asked"]) else None


def _asked(text: str) -> QueueEntry:
    text = text.strip()
    if taken := _INPUT.fullmatch(text):
        return QueueEntry(taken[1], is_page=False, is_input=True)
    address = _address(text) or _one_address(text)
    if address:
        return QueueEntry(address, is_page=True)
    words = _WIKILINK.sub(lambda link: link[2] or link[1].rpartition("/")[2], text)
    return QueueEntry(" ".join(words.split())[:_MAX_LENGTH], is_page=False)


def _address(text: str) -> str:
    """Return the address if it is the whole line, or ""."""
    link = _LINK.fullmatch(text)
    bare = link[2] if link is not None else text.removeprefix("<").removesuffix(">")
    return bare if _ADDRESS.fullmatch(bare) and len(bare) <= _MAX_LENGTH else ""


def _one_address(text: str) -> str:
    """Return the only address among the words of a line, or ""."""
    links = [link[2] for link in _LINK.finditer(text)]
    found = links + [each.rstrip(_AFTER) for each in _ADDRESS.findall(_LINK.sub(" ", text))]
    return _address(found[0]) if len(found) == 1 else ""
