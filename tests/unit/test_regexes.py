"""The tool of `make lint` that looks for slow regular expressions finds one, and no linear one."""

import pytest

from tests import regexes


def test_a_cubic_pattern_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexes, "DEADLINE", 0.5)
    assert regexes.check(r"x\s+\s+\s+y", 0) != ""


@pytest.mark.parametrize(
    "pattern",
    [
        r"\w+(?:[._-]\w+)*[._]\w+(?:[ =][^\s.]+){0,3}",
        r"\s*(?:<!--.*?-->\s*)*<html",
        r'title="(?:[a-z_]+_?)*"',
    ],
)
def test_repeats_that_overlap_within_a_group_are_found(
    monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    monkeypatch.setattr(regexes, "DEADLINE", 0.2)
    assert "takes longer" in regexes.check(pattern, 0)


@pytest.mark.parametrize("pattern", [r"x\s++y", r"[a-z]+\d", r"(?:a|b)*+c", r""])
def test_a_linear_pattern_is_not(pattern: str) -> None:
    assert regexes.check(pattern, 0) == ""
