"""Commands that may take long show how far they are; quick ones show nothing."""

from pathlib import Path

import pytest

from tests.fakes.cli import Cli
from tests.fakes.impatient import ImpatientTimer


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command takes more than a few seconds, as far as its progress is concerned."""
    monkeypatch.setattr("daemon.cli.progress.threading.Timer", ImpatientTimer)
    monkeypatch.setattr("daemon.cli.progress._BETWEEN_LINES", 0.0)


def test_doctor_counts_its_checks(ready: Cli, slow: None) -> None:
    first, counted, *_ = ready("doctor").err.splitlines()
    assert first == "checking"
    assert counted.startswith("0/20 checking: interpreter")


def test_a_test_of_sources_names_those_that_have_not_answered(ready: Cli, slow: None) -> None:
    ready("library", "scan")
    first, counted, *_ = ready("sources", "test", "library").err.splitlines()
    assert first == "waiting for the answers of the sources"
    assert counted == "0/1 waiting for library"


def test_init_counts_the_notes_that_it_reads(lacuna: Cli, vault: Path, slow: None) -> None:
    first, counted, *_ = lacuna("init", vault).err.splitlines()
    assert first == "counting the notes of the vault"
    assert counted == "0/5 reading some notes for their language"


def test_a_quick_command_shows_no_progress(ready: Cli) -> None:
    ready("library", "scan")
    assert ready("sources", "test", "library").err == ""
