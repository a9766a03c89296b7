"""Exports of assistants: each conversation with its turns, whatever else the export contains."""

import json
import zipfile
from io import BytesIO
from typing import Any

import pytest

from daemon.adapters.extract_conversations import extract_conversations
from daemon.model.errors import ExtractError


def node(parent: str | None, role: str, text: str, *children: str) -> dict[str, Any]:
    message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
    return {"parent": parent, "message": message, "children": list(children)}


CHATGPT = {
    "title": "Stale bread",
    "create_time": 1700000000.5,
    "conversation_id": "c1",
    "current_node": "d",
    "mapping": {
        "root": {"parent": None, "message": None, "children": ["s"]},
        "s": node("root", "system", "You are helpful.", "a"),
        "a": node("s", "user", "Why does bread go stale?", "b", "c"),
        "b": node("a", "assistant", "An answer that was regenerated."),
        "c": node("a", "assistant", "Its starch turns into crystals.", "d"),
        "d": node("c", "user", "Thanks."),
    },
}
CLAUDE = {
    "uuid": "u1",
    "name": "Rye",
    "created_at": "2026-03-01T10:00:00Z",
    "chat_messages": [
        {"sender": "human", "text": "What is rye?"},
        {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "A grain."}]},
    ],
}
GEMINI = {
    "header": "Gemini Apps",
    "title": "Prompted What is spelt?",
    "time": "2026-04-02T08:00:00.000Z",
    "safeHtmlItem": [{"html": "<p>An old <b>wheat</b>.</p><ul><li>Flour &amp; bread</li></ul>"}],
}


def read(*found: object) -> list[dict[str, Any]]:
    return extract_conversations(json.dumps(found).encode())


def test_chatgpt_shows_the_branch_that_was_seen_last() -> None:
    [chat] = read(CHATGPT)
    assert chat["turns"] == [
        "You: Why does bread go stale?",
        "ChatGPT: Its starch turns into crystals.",
        "You: Thanks.",
    ]
    assert (chat["title"], chat["published"], chat["id"]) == ("Stale bread", "2023-11-14", "c1")


def test_claude_and_gemini_are_read_too() -> None:
    claude, gemini = read(CLAUDE, GEMINI)
    assert claude["turns"] == ["You: What is rye?", "Claude: A grain."]
    assert gemini["speakers"] == ["You", "Gemini"]
    assert gemini["turns"][1] == "Gemini: An old wheat.\nFlour & bread"
    assert (gemini["title"], gemini["published"]) == ("What is spelt?", "2026-04-02")


def test_an_archive_is_opened_and_other_data_is_skipped() -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("export/user.json", "{}")
        archive.writestr("export/conversations.json", json.dumps([CHATGPT, 1, {"x": []}]))
    assert len(extract_conversations(packed.getvalue())) == 1


def test_a_cycle_of_turns_ends_and_turns_without_text_are_omitted() -> None:
    looped = {"current_node": "a", "mapping": {"a": node("a", "user", "Round and round.")}}
    empty = {"current_node": "a", "mapping": {"a": node(None, "user", " ")}}
    assert [chat["turns"] for chat in read(looped, empty)] == [["You: Round and round."]]


@pytest.mark.parametrize("broken", [b"{", b"[" * 100_000, b"PK\x03\x04conversations.json"])
def test_what_is_broken_is_reported(broken: bytes) -> None:
    with pytest.raises(ExtractError):
        extract_conversations(broken)


@pytest.mark.parametrize(
    "odd",
    [
        {**CHATGPT, "current_node": ["a"]},
        {"mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": 5}}}}},
        {"mapping": {"a": 5, "b": {"message": [], "parent": {}}}},
        {"chat_messages": [5, {"sender": "human", "content": 5}], "created_at": []},
        {"title": {}, "safeHtmlItem": 5},
    ],
)
def test_an_odd_field_loses_no_other_conversation(odd: Any) -> None:
    found = read(odd, CLAUDE)
    assert found[-1]["turns"] == ["You: What is rye?", "Claude: A grain."]


@pytest.mark.parametrize("body", ["5", '"x"', '{"conversations": null}', '{"conversations": 5}'])
def test_what_has_no_conversations_has_none(body: str) -> None:
    assert extract_conversations(body.encode()) == []


def test_a_page_of_opened_brackets_is_read_in_linear_time() -> None:
    markup = "<" * 200_000
    [chat] = read({"title": "Asked why?", "safeHtmlItem": [{"html": markup}]})
    assert len(chat["turns"][1]) > 90_000
