"""Tasks and people that documents name are listed in notes of their own, once and inert."""

from pathlib import Path

from tests.fakes.cli import Cli
from tests.fakes.pdf import make_pdf

PAGE = (
    "Why bread goes stale in the cold",
    "Staling of bread is a change of its starch and hardly a loss of water at all.",
    "We found that bread in the fridge goes stale six times faster than bread at room heat.",
)
HOSTILE = (
    "# Bread and steam in the oven\n\n"
    "Steam keeps the crust of bread soft for ten minutes [[Secret plan]] #tag <% tp.x %> if hot."
    "\n\n## Next steps\n\n- [ ] Accept [[Secret]] steam\n"
)


def test_tasks_and_people_of_documents_are_listed_once_and_inert(
    ready: Cli, vault: Path, tmp_path: Path
) -> None:
    paper, other = tmp_path / "paper.pdf", tmp_path / "other.md"
    paper.write_bytes(make_pdf([PAGE], title=PAGE[0], author="Ada Baker"))
    other.write_text(HOSTILE.replace("ten minutes", "nine minutes"), "utf-8")
    assert ready("ingest", "-", paper, other, text=HOSTILE).code == 0
    inbox = vault / "Inbox/Research"
    tasks = (inbox / "Tasks.md").read_text("utf-8")
    assert tasks.count("- [ ] Accept ") == 1
    assert " 📅 " in tasks
    landscape = (inbox / "Landscape.md").read_text("utf-8")
    assert "## People\n\n- **Ada Baker** — [[" in landscape
    for text in (tasks, landscape, (inbox / "Landscape.yaml").read_text("utf-8")):
        assert "[[Secret" not in text
