"""Listing what would be asked, and what notes are called, without a word in the vault."""

import json
from pathlib import Path

from tests.fakes.cli import Cli

PAPER = "---\ntitle: How trust spreads\ndoi: 10.1234/x\n---\n\nTrust in media. Trust in media."


def test_every_query_is_listed_with_why_it_is_asked(ready: Cli) -> None:
    found = json.loads(ready("eval", "--queries", "--json").out)
    assert {each["note"] is None for each in found} == {True, False}
    assert all(each["query"] and not each["refused"] for each in found if each["note"])
    out = ready("eval", "--queries").out
    assert out.startswith("A run of the vault\n")
    assert all(each["query"] in out for each in found if not each["refused"])


def test_a_note_is_shown_by_its_name_with_its_path(ready: Cli, vault: Path) -> None:
    (vault / "Lee2020-ab.md").write_text(PAPER)
    assert "How trust spreads (Lee2020-ab.md)" in ready("health").out
    assert json.loads(ready("health", "--json").out)["names"]["Lee2020-ab.md"] == (
        "How trust spreads"
    )
    assert "How trust spreads (Lee2020-ab.md)" in ready("search", "trust media").out
