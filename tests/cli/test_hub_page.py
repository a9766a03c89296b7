"""docs/hub.md as its reader follows it: a group of five, from nothing to the first finding."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
import pytest

from daemon import composition
from daemon.config import load_settings
from daemon.findings.block import as_status
from daemon.findings.render import finding_text
from daemon.model.finding import FindingStatus, record_of
from daemon.model.shared_notes import DIMENSIONS
from tests.fakes.cli import NOTES, Cli, Done, lay_out
from tests.fakes.hub_site import serving
from tests.fakes.postgres import of_database, programs, server
from tests.fakes.process import ROOT
from tests.fakes.values import SENTENCES, a_finding, a_task
from vault_adapters.wikilink import Linker

__all__ = ["server"]  # a fixture

PAGE = (ROOT / "docs/hub.md").read_text(encoding="utf-8")
HUB = "https://hub.example.org:7432"


def commands() -> list[str]:
    """The commands of the page's first section up to the note about what was reached."""
    section = PAGE.split("## From nothing to the first shared finding")[1]
    before = section.split("Ada has an accepted finding")[0]
    return [line.strip() for line in before.splitlines() if line.startswith("    ")]


@dataclass
class Five:
    """Five people with a machine each, and one for the hub."""

    cli: Cli
    folder: Path
    url: str  # of the database server
    running: ExitStack
    served: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    vaults: dict[str, Path] = field(default_factory=dict)

    def follow(self, line: str) -> Done:
        """Do what a line of the page says, with the addresses of this test."""
        program, *words = shlex.split(line, comments=True)
        words = [word.replace(HUB, self.served) for word in words]
        if program == "createdb":
            return self.createdb(*words)
        assert program == "lacuna"
        if words[:2] == ["hub", "serve"]:
            self.served = self.running.enter_context(serving(of_database(self.url, "lacuna")))
            return Done(0, "", "")
        if words[:2] == ["hub", "join"]:
            name = words[3].partition("'")[0]
            self.sit_down(name)
            return self.cli(*words, text=f"{self.tokens[name]}\n")
        real = of_database(self.url, "lacuna")
        done = self.cli(*(word.replace("postgresql://localhost/lacuna", real) for word in words))
        if words[:2] == ["hub", "invite"]:
            lines = re.findall(r"^(\w+)  \w+'s notes  (\S{43})$", done.out, re.MULTILINE)
            self.tokens = dict(lines)
        return done

    def createdb(self, *words: str) -> Done:
        found = programs(self.url) / "createdb"
        host = self.url.rpartition("host=")[2]
        done = subprocess.run(
            [found, *words],
            env={**os.environ, "PGHOST": host, "PGUSER": "postgres"},
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def sit_down(self, name: str) -> None:
        """Use somebody's own machine, which has a vault."""
        home = self.folder / name
        self.cli.monkeypatch.setenv("HOME", str(home))
        vault = self.vaults[name] = lay_out(home / "Notes", NOTES)
        Cli(home, self.cli.capsys, self.cli.monkeypatch).settings(vault=vault)
        if name == "ada":
            self.accept_a_finding(home / ".config/lacuna/config.toml")

    def accept_a_finding(self, config: Path) -> None:
        finding = a_finding(task=a_task(topic="Autolyse", note=None), title="Autolyse: how long?")
        with closing(composition.open_app(load_settings(config), config=config)) as app:
            path = f"{app.settings.inbox.folder}/Autolyse.md"
            note = app.adapter.root / path
            note.parent.mkdir(parents=True)
            note.write_text(
                as_status(finding_text(finding, link=Linker([])), FindingStatus.ACCEPTED)
            )
            record = replace(record_of(finding, path), status=FindingStatus.ACCEPTED)
            app.stores.findings.learn(record)


@pytest.fixture
def five(
    lacuna: Cli, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Five]:
    monkeypatch.setattr("tests.fakes.embedder.DIMENSION", DIMENSIONS)
    lacuna.settings()
    with ExitStack() as running:
        yield Five(lacuna, tmp_path, server, running)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS lacuna WITH (FORCE)")


def test_ten_commands_lead_a_group_of_five_to_the_first_shared_finding(five: Five) -> None:
    assert len(commands()) == 10
    for line in commands():
        done = five.follow(line)
        assert done.code == 0, (line, done.err)
        if "ada's notes" in line:
            assert "1 note or finding shared: 1 sent" in done.out
        if "ben's notes" in line:
            assert "1 finding of other vaults in the inbox" in done.out
    assert len(five.vaults) == 5
    [note] = five.vaults["ben"].rglob("From others/*Autolyse*.md")
    text = note.read_text(encoding="utf-8")
    assert "**From ada (ada's notes)**" in text
    assert SENTENCES[0] in text
    assert not list(five.vaults["eve"].rglob("From others/*"))
