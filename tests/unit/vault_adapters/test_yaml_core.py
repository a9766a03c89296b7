import json
from pathlib import Path

import pytest
import yaml

from vault_adapters.markdown import parse_note
from vault_adapters.yaml_core import load_yaml

SUITE = Path(__file__).resolve().parents[3] / "../shared/data/peers/yaml_test_suite/src"


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("2024-07-21", "2024-07-21"),
        ("2024-07-21T12:37:00", "2024-07-21T12:37:00"),
        ("12:30:45", "12:30:45"),
        ("True", True),
        ("null", None),
        ("~", None),
        ("012", 12),
        ("0x1F", 31),
        ("0o17", 15),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        (".5", 0.5),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1e999", "1e999"),
        ("!!int x", "x"),
        ("!thing {a: !other [1]}", {"a": [1]}),
        ("!!map [1]", [1]),
        ("!!binary aGk=", "aGk="),
        ("{1: a, null: b, true: c, [x]: d}", {"1": "a", "": "b", "true": "c", "[x]": "d"}),
        ("é: {{date}}", {"é": {"{date}": None}}),
        ("a: &a {x: 1}\nb: *a\nc: {<<: *a}", {"a": {"x": 1}, "b": {"x": 1}, "c": {"<<": {"x": 1}}}),
    ],
)
def test_values_are_those_of_yaml_1_2(source: str, value: object) -> None:
    assert load_yaml(source) == (value, [])


HUGE = ["0x" + "f" * 3_600, "0o" + "7" * 4_700, "9" * 4_300, "-" + "9" * 3_000, f"{2**63:#x}"]


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize("source", ["a: {}", "a: [[{}]]", "a:\n  - b: {}", "? {}", "a: !!int {}"])
def test_a_number_that_64_bits_do_not_hold_stays_a_text(source: str, number: str) -> None:
    values, _ = load_yaml(source.format(number))
    assert number in json.dumps(values)
    assert number in str(values)


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_a_number_that_64_bits_hold_is_a_number(number: int) -> None:
    assert load_yaml(f"a: {number}") == ({"a": number}, [])


@pytest.mark.parametrize("source", ["a: b: c", "a:\tb\n\tc: d", "- a\nb: c", "a: &a [*a]", "\x07"])
def test_what_is_no_yaml_is_refused(source: str) -> None:
    with pytest.raises(yaml.YAMLError):
        load_yaml(source)


def test_of_a_duplicate_key_the_last_applies_and_it_is_reported() -> None:
    assert load_yaml("a: 1\na: 2") == ({"a": 2}, ["the property 'a' is there twice"])


@pytest.mark.skipif(not SUITE.is_dir(), reason="the YAML test suite is not there")
def test_the_yaml_test_suite_breaks_nothing() -> None:
    for file in sorted(SUITE.glob("*.yaml")):
        for case in yaml.safe_load(file.read_text(encoding="utf-8")):
            if isinstance(case.get("yaml"), str):
                source = case["yaml"].replace("␣", " ").replace("»", "\t").replace("↵", "")
                note = parse_note("a.md", f"---\n{source}\n---\n".encode())
                json.dumps(dict(note.frontmatter), allow_nan=False)
