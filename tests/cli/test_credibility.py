"""The user's own credibility table, and retractions that came after a finding."""

from pathlib import Path

import pytest

from daemon.cycle.retractions import Retractions
from tests.fakes.cli import Cli

QUESTION = "why does bread go stale in the fridge"


def _table(cli: Cli) -> Path:
    return cli.config.with_name("credibility.toml")


def test_a_credibility_table_next_to_the_settings_changes_scores(ready: Cli, vault: Path) -> None:
    _table(ready).write_text(
        '[base.mine]\nname = "my own shelf"\nscore = 0.9\nsources = ["library"]'
    )
    found = ready("research", QUESTION, "--json").json
    (finding,) = found["findings"]
    assert finding["credibility"] == pytest.approx(0.81)
    text = (vault / finding["path"]).read_text()
    assert "0.81 = 0.90 (my own shelf) × 1.00 (citations not known) × 0.90" in text
    _table(ready).unlink()
    assert ready("replay", found["run"], "--into", vault.parent / "again").code == 0


def test_an_error_in_the_credibility_table_names_the_file_and_the_key(ready: Cli) -> None:
    _table(ready).write_text("[base.mine]\nscore = 7\n")
    reported = ready("research", QUESTION).complaint
    assert reported.startswith(f"{_table(ready)}: base.mine.score = 7: ")


def test_a_missing_retraction_list_is_reported(ready: Cli, vault: Path, library: Path) -> None:
    ready.settings(
        vault=vault, library__folder=library, research__retraction_watch=vault / "no.csv"
    )
    reported = ready("status").complaint
    assert reported == f"{vault / 'no.csv'}: research.retraction_watch: No such file or directory"


def test_findings_show_warns_of_a_later_retraction(
    ready: Cli, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = ready("research", QUESTION, "--json").json["findings"]
    text = (vault / found["path"]).read_text()
    assert ready("findings", "show", found["id"], "--json").json["retracted"] == ""
    monkeypatch.setattr(Retractions, "of", lambda _self, _record: "Retraction Watch (2026-01-02)")
    shown = ready("findings", "show", found["id"]).out
    assert shown == (
        "RETRACTED, according to Retraction Watch (2026-01-02): credibility is now 0.00 (the note"
        f" is outdated).\n\n{text}"
    )
    reported = ready("findings", "show", found["id"], "--json").json
    assert reported["retracted"] == "Retraction Watch (2026-01-02)"
