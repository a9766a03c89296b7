from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_adapters import yaml_core
from vault_adapters.yaml_lines import read_lines

# All signs and words that mean something to YAML somewhere, and some that do not.
PIECES = (
    *"atTnN10.-: #\"'[],\n_é中\xa0\u2028\x85\ufeff\\/|>&*!%@`{}?~\t",
    *("  ", "\n  - ", "\n- ", "\nkey: ", "true", "null", "[a, b]", "[]", '"a b"', "'c'"),
    *("[[a]]", ": ", " #", "1e5", "0x1F", "~", "2020-01-01", "12:30", "https://a.b/c#d"),
)
SOURCES = st.lists(st.sampled_from(PIECES), max_size=14).map(lambda pieces: f"\n{''.join(pieces)}")


def as_is(text: str) -> Any:
    return text


@pytest.fixture(scope="module")
def no_lines() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_core, "read_lines", lambda *_: None)
        yield


@given(SOURCES)
@pytest.mark.usefixtures("no_lines")
def test_what_is_read_line_by_line_is_what_a_parser_reads(source: str) -> None:
    read = read_lines(source, yaml_core.scalar)

    assert read is None or repr((read, [])) == repr(yaml_core.load_yaml(source))


def test_frontmatter_as_it_mostly_is_needs_no_parser() -> None:
    source = (
        "\ntitle: 电锯惊魂4 (2007)\ndate created: 2023-01-24 01:18:26\nrating:\n\nscore: 7.8\n"
        'url: https://example.org/a?b=c#d\ntags:\n  - Movie\n  - "[[A note]]"\n  -\n'
        "aliases: [One, \"Two words\"]\nnone: []\nsingle: 'it is: so'\n"
    )

    assert read_lines(source, as_is) == {
        "title": "电锯惊魂4 (2007)",
        "date created": "2023-01-24 01:18:26",
        "rating": "",
        "score": "7.8",
        "url": "https://example.org/a?b=c#d",
        "tags": ["Movie", "[[A note]]", ""],
        "aliases": ["One", "Two words"],
        "none": [],
        "single": "it is: so",
    }


def test_notes_with_the_same_line_share_no_list() -> None:
    for source in ("tags: [a, b]", "tags: []"):
        first, second = read_lines(source, as_is), read_lines(source, as_is)
        assert first is not None
        assert first == second
        first["tags"].append("c")
        assert read_lines(source, as_is) == second


@pytest.mark.parametrize(
    "source",
    [
        "",
        "a: b: c",
        "a: b # c",
        "a: b\n  c",
        "a: b\n- c",
        "a: null\n- c",
        "a:\n  - b\n - c",
        "a:\n  b: c",
        "a: 1\na: 2",
        "true: a",
        "a: >-\n  b",
        "a: &b c",
        "a: *b",
        "a: !b c",
        "a: {b: c}",
        "a: [b, [c]]",
        'a: "b\\n"',
        "a: 'b''c'",
        "a: b\u2028c",
        "{{date}}: a",
        f"a: {'b' * 20_000}",
    ],
)
def test_whatever_may_mean_more_is_left_to_the_parser(source: str) -> None:
    assert read_lines(source, as_is) is None
