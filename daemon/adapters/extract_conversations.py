"""The conversations in an export of ChatGPT, Claude or Gemini, or in a ZIP archive of one.

Runs in the process that reads hostile documents.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from daemon.adapters.archives import Archive
from daemon.model.errors import ExtractError

MAX_BYTES = 100_000_000  # of an export in its archive, unpacked
_MAX_TOTAL = 15_000_000  # characters of all turns: what one answer of this process holds
_MAX_TURN = 100_000  # characters
_MAX_TURNS = 5000  # of one conversation
_NAMES = re.compile(r"(?:^|/)(?:conversations|My ?Activity|MyActivity)\.json$", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_BREAK = re.compile(r"</(?:p|li|h\d|tr|pre|div)>|<br\s*/?>", re.IGNORECASE)
_ASKED = re.compile(r"^(?:Prompted|Asked|Said)\s+", re.IGNORECASE)
YOU = "You"

Conversation = dict[str, str | list[str]]


def extract_conversations(body: bytes) -> list[Conversation]:
    """Return `id`, `title`, `published`, `speakers` and `turns` of each conversation.

    `turns` begin with their speaker and a colon. Branches that the user left are omitted. Raises
    ExtractError for what is no such export.
    """
    try:
        found = json.loads(_unpacked(body))
    except (ValueError, RecursionError):
        raise ExtractError("it is not valid JSON") from None
    every = found if isinstance(found, list) else _list(_of(found, "conversations")) or [found]
    read = [each for each in map(_read, filter(_is_object, every)) if each and each["turns"]]
    if sum(len(turn) for each in read for turn in each["turns"]) > _MAX_TOTAL:
        raise ExtractError("the export is too long for one file: split it")
    return read


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"PK\x03\x04"):
        return body
    archive = Archive(body, "archive")
    name = archive.named(_NAMES)
    if name is None:
        raise ExtractError("the archive contains no conversations")
    return archive.read(name, MAX_BYTES)


def _read(found: Mapping[str, Any]) -> Conversation | None:
    if isinstance(found.get("mapping"), dict):
        return _conversation(found, "create_time", "conversation_id", _of_chatgpt(found))
    if isinstance(found.get("chat_messages"), list):
        return _conversation(found, "created_at", "uuid", _of_claude(found))
    if found.get("safeHtmlItem") is not None and "title" in found:
        return _of_gemini(found)
    return None


def _conversation(
    found: Mapping[str, Any], time: str, id_: str, turns: Iterator[tuple[str, str]]
) -> Conversation:
    said = [(who, text.strip()[:_MAX_TURN]) for who, text in turns if text.strip()][:_MAX_TURNS]
    title = str(found.get("title") or found.get("name") or "")
    return {
        "id": str(found.get(id_) or found.get("id") or ""),
        "title": title or (said[0][1].partition("\n")[0][:80] if said else ""),
        "published": _day(found.get(time)),
        "speakers": list(dict.fromkeys(who for who, _ in said)),
        "turns": [f"{who}: {text}" for who, text in said],
    }


def _of_chatgpt(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Follow the branch that the user saw last, from its end to the root."""
    nodes = found["mapping"]
    at, seen, branch = found.get("current_node"), set[str](), []
    if not isinstance(at, str) or at not in nodes:
        at = next((key for key, node in nodes.items() if not _of(node, "children")), None)
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        branch.append(_of(nodes[at], "message"))
        at = _of(nodes[at], "parent")
    for message in reversed(branch):
        role = _of(_of(message, "author"), "role")
        if role in ("user", "assistant"):
            parts = _list(_of(_of(message, "content"), "parts"))
            texts = [part for part in parts if isinstance(part, str)]
            yield (YOU if role == "user" else "ChatGPT"), "\n\n".join(texts)


def _of_claude(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for message in filter(_is_object, found["chat_messages"]):
        parts = [_of(each, "text") for each in _list(message.get("content"))]
        texts = [text for text in parts if isinstance(text, str)] or [message.get("text")]
        who = YOU if message.get("sender") == "human" else "Claude"
        yield who, "\n\n".join(text for text in texts if isinstance(text, str))


def _of_gemini(found: Mapping[str, Any]) -> Conversation | None:
    """Return one entry of Takeout's list: a question and its answer."""
    asked = _ASKED.sub("", str(found["title"]))
    items = [_of(each, "html") for each in _list(found["safeHtmlItem"])]
    answer = "\n\n".join(_text(item) for item in items if isinstance(item, str))
    entry = {**found, "title": asked.partition("\n")[0][:80]}
    return _conversation(entry, "time", "titleUrl", iter([(YOU, asked), ("Gemini", answer)]))


def _text(markup: str) -> str:
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", markup)))


def _day(at: object) -> str:
    """Return the day of a Unix time or an ISO 8601 time, or ""."""
    try:
        if isinstance(at, int | float):
            return datetime.fromtimestamp(at, UTC).date().isoformat()
        return datetime.fromisoformat(str(at)).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
