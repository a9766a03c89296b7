"""Suggested tasks: in the user's format, each once, and no line of the user's is changed."""

from datetime import UTC, date

import pytest

from daemon.findings.task_note import due_in, empty_note, task_line, with_lines
from daemon.model.tasks import SuggestedTask, TaskFormat, TaskStyle
from tests.fakes.values import NOW, a_hit
from vault_adapters.wikilink import Linker

LINK = Linker(["Inbox/Report.md", "Bread.md"])
PLUGIN = TaskFormat(TaskStyle.TASKS, 7, "lacuna", "%Y")


def test_a_task_has_the_format_of_the_plugin_and_does_nothing_else() -> None:
    task = SuggestedTask("Read it #now 📅 ![[Secret]]", "Inbox/Report.md", "Bread.md", a_hit())
    line = task_line(task, PLUGIN, date(2026, 11, 23), LINK)
    assert line.startswith("- [ ] Read it &num;now ")
    assert "![[" not in line
    assert line.endswith("([[Report]]) 📅 2026-11-30 #lacuna")
    assert ": [[Bread]]: [Latency of cooperative schedulers](https://arxiv.org/" in line


def test_the_day_that_a_task_names_counts_and_none_is_made_up_without_a_setting() -> None:
    task = SuggestedTask("Count mites", "Inbox/Report.md", due=date(2027, 1, 2))
    daily = TaskFormat(TaskStyle.DAILY, 0, "", "%Y")
    assert task_line(task, daily, date(2026, 11, 23), LINK) == (
        "- [ ] Count mites ([[Report]]) by 2027-01-02"
    )
    bare = task_line(SuggestedTask("Count", "Inbox/Report.md"), daily, date(2026, 11, 23), LINK)
    assert bare == "- [ ] Count ([[Report]])"


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("Order queens by 30 November 2026", date(2026, 11, 30)),
        ("Pay until 2026-12-01.", date(2026, 12, 1)),
        ("Due: March 3rd, 2027", date(2027, 3, 3)),
        ("Read what happened on the farm in 2019", None),
        ("Finish by 31 June 2026", None),
    ],
)
def test_a_due_day_is_read_only_where_the_text_sets_one(text: str, due: date | None) -> None:
    assert due_in(text) == due


def test_lines_are_added_after_the_last_task_and_every_other_byte_stays() -> None:
    empty = empty_note("tasks", NOW, UTC)
    one = with_lines(empty, ["- [ ] one"])
    assert one == f"{empty}\n- [ ] one\n"
    edited = one.replace("- [ ] one", "- [x] one, changed ✅ 2026-11-24") + "\nMy own words.\n"
    two = with_lines(edited, ["- [ ] two"])
    assert two.replace("- [ ] two\n", "") == edited
    assert two.index("one, changed") < two.index("- [ ] two") < two.index("My own words")
    assert with_lines("a\r\n- [ ] b\r\n", ["- [ ] c"]) == "a\r\n- [ ] b\r\n- [ ] c\r\n"
