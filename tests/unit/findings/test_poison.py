"""Whatever the text from outside is, a note of ours is built as it is built with plain text.

Two parsers say so (the vault's own and markdown-it), and the patterns by which plugins look at a
note's raw text, which know of no parser.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache

import frontmatter
import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt
from markdown_it.token import Token

from daemon.agenda.agenda_note import read_agenda
from daemon.findings.block import feedback, ticked
from daemon.model.agenda import Choice
from tests.fakes.poison import NOTES, PAYLOADS, TEXTS, report_of_notes
from tests.fakes.values import a_task, an_agenda
from vault_adapters.markdown import parse_note

PLAIN = "plain"
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_TEXT = frozenset({"text", "softbreak", "text_special"})
# Addresses of ours hold what was percent-encoded; what plugins would see in them is only that.
_ADDRESS = re.compile(r"\]\(https?://[^()\s<>\[\]]*\)")
# What plugins look for in raw text, ignoring backslashes.
SCANNERS = {
    "wikilink": r"\[\[([^\[\]]*)\]\]",
    "open wikilink": r"\[\[",
    "embed": r"!\[",
    "markdown link": r"\[(?:\\.|[^\]\\])*\]\(",  # a label of ours may hold escaped brackets
    "footnote": r"\[\^|\^\[",
    "task": r"(?m)^[\s>]*(?:[-*+]|\d+[.)])\s+\[.\]",
    "callout": r"(?m)^[\s>]*\[![\w-]+\]",
    "template": r"<%|%>|\{\{|\}\}|\{%|%\}",
    "inline field": r"::",
    "comment": r"%%|<!--",
    "html": r"<[A-Za-z/!?]",
    "tag": r"(?<!&)#[^\s!-,.:-@\[-^`{-~\u2000-\u206f]",  # as Obsidian reads them
    "block id": r"(?m)\^[A-Za-z0-9-]+\s*$",
    "fence": r"```|~~~",
    "code": r"(?<!\\)`",
    "math": r"\$\$|(?<!\\)\$",
    "highlight": r"==",
    "emphasis": r"\*\*",
    "address": r"[A-Za-z]://|www\.\w",
    "heading": r"(?m)^\s*#{1,6}(?:\s|$)",
    "quote": r"(?m)^\s*>",
    "list": r"(?m)^\s*(?:[-*+]|\d+[.)])(?:\s|$)",
    "rule": r"(?m)^\s*(?:---|\+\+\+|===|\*\*\*|___)",
    "flash card": r"(?m)^\?+$",
    "unseen": r"[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\U000e0000-\U000e007f\x00]",
}


@pytest.mark.parametrize("kind", NOTES)
@pytest.mark.parametrize(
    ("plugin", "payload"),
    [(plugin, payload) for plugin, payloads in PAYLOADS.items() for payload in payloads],
)
def test_a_payload_changes_nothing_of_a_notes_build(kind: str, plugin: str, payload: str) -> None:
    assert build_of(NOTES[kind](payload)) == plain_build(kind), plugin


@pytest.mark.parametrize("payload", [each for its in PAYLOADS.values() for each in its])
def test_a_quoted_note_adds_only_code_and_formulas_that_do_nothing(payload: str) -> None:
    made, plain = build_of(report_of_notes(payload)), build_of(report_of_notes(PLAIN))
    assert _without_code(made) == _without_code(plain)
    same = ("links", "tags", "headings", "blocks", "properties", "trouble")
    assert [made[each] for each in same] == [plain[each] for each in same]
    shown = re.sub(r"(?ms)^> +(`{3,})$.*?^> +\1$", "", report_of_notes(payload))
    assert not re.search(r"(?<!\\)`(?:\$?=|button-|INPUT|VIEW|BUTTON)", shown)


def test_the_payloads_are_many_and_for_every_plugin() -> None:
    assert sum(map(len, PAYLOADS.values())) >= 40
    named = {"Tasks", "Templater", "Dataview", "DataviewJS", "Buttons", "Meta Bind", "HTML"}
    assert named | {"Excalidraw", "Mermaid", "links", "embeds"} <= set(PAYLOADS)


@pytest.mark.parametrize("kind", NOTES)
def test_any_text_changes_nothing_of_a_notes_build(kind: str) -> None:
    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(TEXTS)
    def holds(text: str) -> None:
        assert build_of(NOTES[kind](text)) == plain_build(kind)

    holds()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(TEXTS)
def test_no_text_decides_for_the_user(text: str) -> None:
    finding, agenda = NOTES["finding"](text), NOTES["agenda"](text)
    assert ticked(finding) == frozenset()
    assert feedback(finding) == ""
    assert frontmatter.loads(finding).metadata["status"] == "pending"
    assert [task.choice for task in read_agenda(agenda, an_agenda(a_task())).tasks] == [
        Choice.WANTED
    ]


def build_of(text: str) -> dict[str, object]:
    """Return the structure of a note, without its words."""
    note = parse_note("note.md", text.encode())
    properties = frontmatter.loads(text).metadata
    body = text.split("\n---\n", 1)[1]
    raw = _ADDRESS.sub("](address)", body)
    return {
        "trouble": note.trouble,
        "properties": {name: _kind(value) for name, value in properties.items()},
        "live in properties": [
            token for token in ("[[x", "<%", "{{", "%>", "}}") if token in str(properties.values())
        ],
        "links": Counter((link.target, link.kind) for link in note.links),
        "tags": Counter(tag.name for tag in note.tags),
        "headings": [heading.level for heading in note.headings],
        "blocks": note.blocks,
        "tokens": [
            _shown(token) for token in _flat(MARKDOWN.parse(body)) if token.type not in _TEXT
        ],
        "raw": {name: len(re.findall(pattern, raw)) for name, pattern in SCANNERS.items()},
    }


def _without_code(build: dict[str, object]) -> list[str]:
    tokens = build["tokens"]
    assert isinstance(tokens, list)
    return [each for each in tokens if not each.startswith("code_inline")]


@cache
def plain_build(kind: str) -> dict[str, object]:
    return build_of(NOTES[kind](PLAIN))


def _kind(value: object) -> object:
    if isinstance(value, list):
        return value if value == ["research-agent"] else [_kind(each) for each in value]
    return "time" if isinstance(value, date | datetime) else type(value).__name__


def _shown(token: Token) -> str:
    """A token, with where it leads when it leads somewhere."""
    target = str(token.attrs.get("href") or token.attrs.get("src") or "")
    return f"{token.type} {target.partition('/')[0]}{token.info}"


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])
