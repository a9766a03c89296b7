"""The faster parser finds what markdown-it's own finds, in whatever text."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it.parser_block import ParserBlock

from vault_adapters import markdown
from vault_adapters.block_parser import BlockParser
from vault_adapters.blocks import Block, block_parser, read_blocks
from vault_adapters.decode import decode
from vault_adapters.dendron_links import scan_dendron
from vault_adapters.frontmatter import read_properties
from vault_adapters.inline_plain import scan_plain
from vault_adapters.markdown import Contents

ROOT = Path(__file__).resolve().parents[3]
VAULTS = ROOT / "../shared/data/vaults"
OURS, THEIRS = block_parser(BlockParser()), block_parser(ParserBlock())

# What lines begin with and hold, so that every rule meets every other.
_PIECES = """
text¦# Title¦#no title¦## Two ##¦- item¦* item¦+ item¦-¦1. one¦2) two¦10. ten¦1.¦---¦- - -¦***¦===
=¦--¦> quote¦>¦>> deep¦```¦```py¦~~~¦$$¦$$ x $$¦%%¦%% x %%¦<div>¦</div>¦<!-- c -->¦<!--¦-->¦<span>x
[^1]: note¦[a]: b¦| a | b |¦a|b¦--- | ---¦:-- | --:¦|--|-:|¦[[link]]¦\\# x¦!¦: x¦word:¦x -¦x =
^id¦x ^id¦#tag¦@user¦![[p]]
"""
_STARTS = [
    "",
    "",
    "",
    " ",
    "  ",
    "   ",
    "    ",
    "\t",
    " \t",
    "- ",
    "> ",
    "1. ",
    ">",
    "  - ",
    "      ",
]
_LINE = st.tuples(
    st.lists(st.sampled_from(_STARTS), max_size=3),
    st.sampled_from(["", "", "   ", *_PIECES.strip().replace("\n", "¦").split("¦")])
    | st.text(alphabet="ab -=|:#>*`~$%<[]\t1.)", max_size=8),
)
_OTHERS = (partial(Contents, scan=scan_plain), partial(Contents, scan=scan_dendron, signs="[@"))
_TEXT = st.lists(_LINE, max_size=14).map(
    lambda lines: "\n".join("".join(starts) + text for starts, text in lines)
)


@settings(max_examples=300, deadline=None)
@given(_TEXT, st.sampled_from(["", "\n", "\n\n", "  "]))
def test_any_text_has_the_same_blocks(text: str, end: str) -> None:
    assert read_blocks(text + end, OURS) == read_blocks(text + end, THEIRS)


@settings(max_examples=300, deadline=None)
@given(_TEXT, _TEXT, st.sampled_from([Contents, *_OTHERS]))
def test_what_is_not_parsed_holds_nothing(
    text: str, more: str, contents: Callable[[], Contents]
) -> None:
    found, whole = contents(), contents()
    found.read(f"{text}\n\n{more}", 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "_relevant_part", lambda body, signs: body)
        whole.read(f"{text}\n\n{more}", 3)
    assert found == whole


def test_what_follows_the_last_sign_is_not_parsed() -> None:
    parsed = list[str]()

    def seen(body: str) -> list[Block]:
        parsed.append(body)
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "read_blocks", seen)
        for body in ("a\n\nb", "a [[b]]\nc\n \nd\n\ne", "a\n\nTitle\n---\n\nb", "a ^id\nb"):
            Contents().read(body, 0)
    assert parsed == ["a [[b]]\nc\n \n", "a\n\nTitle\n---\n\n", "a ^id\nb"]


@pytest.mark.parametrize("vault", ["sample_vault", "jackyzha0", "til", "dendron_site", "oldwinter"])
def test_real_notes_have_the_same_blocks(vault: str) -> None:
    folder = ROOT / vault if vault == "sample_vault" else VAULTS / vault
    if not folder.is_dir():
        pytest.skip(f"{vault} is not on this machine")
    for file in sorted(folder.rglob("*.md"))[::7]:
        body = read_properties(decode(file.read_bytes())[0]).body
        assert read_blocks(body, OURS) == read_blocks(body, THEIRS), file
