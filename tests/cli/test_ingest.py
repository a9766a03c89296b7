"""`lacuna ingest`: documents become literature notes in the inbox, once, and are reviewed there."""

from pathlib import Path

import frontmatter
import pytest

from tests.fakes.cli import Cli
from tests.fakes.pdf import make_pdf

PAPER = (
    "Why bread goes stale in the cold",
    "Abstract",
    "Staling of bread is a change of its starch and hardly a loss of water at all.",
    "We found that bread in the fridge goes stale six times faster than bread at room heat.",
    "We show that warming stale bread to sixty degrees melts its starch crystals again.",
    "Introduction",
    "Bakers have known for centuries that the crumb of bread becomes firm within some days.",
    "Freezing bread stops the growth of starch crystals because water can no longer move.",
    "It remains unclear why rye bread goes stale more slowly than bread made from wheat.",
)
HOSTILE = (
    "# Bread and steam in the oven\n\n"
    "Steam keeps the crust of bread soft for ten minutes [[Secret plan]] #tag <% tp.x %> if hot."
    "\n\nThe oven gives 30 % more steam `= this.file` ![[Secret]] than a pan of water ever does.\n"
)


@pytest.fixture
def inbox(vault: Path) -> Path:
    return vault / "Inbox/Research/Ingest"


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A PDF whose name says that it is text."""
    path = tmp_path / "downloaded.txt"
    path.write_bytes(make_pdf([PAPER], title=PAPER[0], author="Ada Baker"))
    return path


def test_a_paper_becomes_a_note_that_is_reviewed_like_a_finding(
    ready: Cli, paper: Path, inbox: Path, vault: Path
) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    found = ready("ingest", paper, "--json").json
    [result] = found["results"]
    assert (result["status"], result["input_type"]) == ("written", "pdf")
    assert "fridge goes stale six times faster" in result["summary"]
    [path] = inbox.glob("*.md")
    assert vault / result["literature_note"] == path
    note = frontmatter.load(str(path))
    assert (note["type"], note["title"], note["authors"]) == ("literature", PAPER[0], ["Ada Baker"])
    assert (note["status"], note["pages"], note["input_type"]) == ("pending", 1, "pdf")
    assert "It remains unclear why rye bread" in note.content.partition("## Open questions")[2]
    assert {each: each.read_bytes() for each in before} == before
    accepted = ready("findings", "accept", path.name, "--json").json
    assert accepted[0]["status"] == "accepted"
    assert "## Review" not in path.read_text("utf-8")


def test_a_paper_is_taken_in_once(
    ready: Cli, paper: Path, inbox: Path, tmp_path: Path, vault: Path
) -> None:
    assert ready("ingest", paper).code == 0
    copy = tmp_path / "copy of it.pdf"
    copy.write_bytes(make_pdf([PAPER, ["Another page."]], title=PAPER[0]))
    (vault / "Rye.md").write_text("---\nDOI: 10.1234/rye.1\n---\n# Rye\n", "utf-8")
    listed = tmp_path / "rye.md"
    listed.write_text(
        "---\ndoi: https://doi.org/10.1234/rye.1\n---\n# On rye\n\nRye is a cereal.\n"
    )
    shown = ready("ingest", paper, copy, listed, vault / "Sourdough.md").out
    [note] = inbox.glob("*.md")
    assert shown.count(f"the vault has a note of it: Inbox/Research/Ingest/{note.name}") == 2
    assert "the vault has a note of it: Rye.md" in shown
    assert "the vault has a note of it: Sourdough.md" in shown
    assert "0 written, 4 known, 0 failed" in shown
    note.unlink()
    assert ready("findings", "list", "--json").json[0]["dismissed_at"]


def test_a_text_from_stdin_does_nothing_in_the_vault(ready: Cli, inbox: Path) -> None:
    assert ready("ingest", "-", text=HOSTILE).code == 0
    [path] = inbox.glob("*.md")
    text = path.read_text("utf-8")
    assert "Steam keeps the crust of bread soft" in text
    for token in ("[[Secret", "![[", "<%", "`=", " #tag"):
        assert token not in text


def test_what_cannot_be_read_is_reported_in_one_line_and_the_rest_is_taken_in(
    ready: Cli, paper: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty.md").write_bytes(b" \n")
    (tmp_path / "photo.pdf").write_bytes(b"\x89PNG\r\n\x1a\n0000")
    assert ready("ingest", tmp_path / "empty.md").complaint.endswith("empty.md: it is empty")
    done = ready("ingest", tmp_path / "photo.pdf", tmp_path / "gone.pdf", paper)
    assert done.code == 0
    assert "photo.pdf: it is an image; only text can be taken in" in done.out
    assert "gone.pdf: no such file or directory" in done.out
    assert "1 written, 0 known, 2 failed" in done.out
