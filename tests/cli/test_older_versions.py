"""Vaults, settings and state of older versions open without a question.

Each archive in tests/fixtures was written by the real program at that commit on a part of the
sample vault: a settings file with its names, the inbox with a finding, a digest and an agenda, the
state without vectors. The one finding is undecided, and the agenda waits.
"""

import json
import tarfile
from pathlib import Path

import pytest

from tests.fakes.cli import Cli
from tests.fakes.only_library import ONLY_LIBRARY

ARCHIVES = sorted((Path(__file__).parents[1] / "fixtures").glob("*.tgz"))


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.stem)
def older(request: pytest.FixtureRequest, lacuna: Cli) -> Cli:
    """The command line on a copy of what an older version left."""
    folder = lacuna.config.parent
    folder.mkdir(parents=True)
    with tarfile.open(request.param) as archive:
        archive.extractall(folder, filter="data")
    lacuna.sources.write_text(ONLY_LIBRARY)
    lacuna.environment(LACUNA_EMBEDDING_MODEL="fake")  # the archive excludes the vectors
    return lacuna


def inbox(older: Cli, kind: str) -> Path:
    """Return the one note of a kind in the inbox."""
    folder = older.config.parent / "vault" / "Eingang" / "Funde"
    (note,) = [path for path in folder.iterdir() if f"\ntype: {kind}\n" in path.read_text()]
    return note


def test_an_archive_of_an_older_version_exists() -> None:
    assert ARCHIVES
    assert sum(path.stat().st_size for path in ARCHIVES) < 1_000_000


def test_state_of_an_older_version_is_indexed_analysed_and_shown(older: Cli) -> None:
    found = older("index")
    assert found.code == 0
    assert "inbox is now inbox.folder" in found.err
    assert "max_findings is now research.max_findings" in found.err
    status = older("status", "--json").json
    assert status["inbox"] == "Eingang/Funde"
    assert (status["pending_findings"], len(status["agendas"])) == (1, 1)
    assert older("health", "--json").json["notes"] == 7
    assert older("config", "check").code == 0
    (run,) = older("runs", "--json").json
    assert (run["status"], run["findings"]) == ("done", 1)


def test_an_older_finding_and_an_older_agenda_are_decided(older: Cli) -> None:
    finding, agenda = inbox(older, "finding"), inbox(older, "agenda")
    finding.write_text(finding.read_text().replace("status: pending", "status: accepted"))
    agenda.write_text(agenda.read_text().replace("status: proposed", "status: cancelled"))
    older("index")
    (decided,) = older("findings", "list", "--status", "accepted", "--json").json
    assert decided["title"] == "How does varroa travel between colonies?"
    assert older("status", "--json").json["agendas"] == []


def test_an_older_run_is_replayed(older: Cli) -> None:
    """An older version may have quoted other sentences."""
    (run,) = older("runs", "--json").json
    done = older("replay", run["run"], "--json")
    notes = json.loads(done.out)["notes"]
    assert [Path(note["path"]).is_file() for note in notes] == [True, True]
    assert done.code == (0 if all(note["identical"] for note in notes) else 1), done.err
    replayed = [_quotes(Path(note["path"])) for note in notes]
    assert any(replayed)


def _quotes(note: Path) -> list[str]:
    lines = note.read_text("utf-8").splitlines()
    return [line for line in lines if line.startswith("> ") and not line.startswith("> [!")]
