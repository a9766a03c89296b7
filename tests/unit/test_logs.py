"""Lines of the log: for readers, for the journal with their level, and as JSON."""

import json
import logging
import os
import sys
from pathlib import Path

import pytest

from daemon.cli.logs import formatter, is_journal
from daemon.cli.output import printable


def record(
    message: str, *values: object, level: int = logging.WARNING, **extra: object
) -> logging.LogRecord:
    made = logging.getLogger("daemon.host").makeRecord(
        "daemon.host", level, "loop.py", 1, message, values, None, extra=extra
    )
    made.created = 1_795_253_400.25
    return made


def fail(why: str) -> None:
    raise ValueError(why)


def lines(form: str, what: logging.LogRecord, *, to_journal: bool = False) -> str:
    return formatter(form, printable, to_journal=to_journal).format(what)


def test_a_line_of_text_has_its_level_and_nothing_that_a_terminal_obeys() -> None:
    assert lines("text", record("%s is gone\x1b[31m", "Note.md")) == "WARNING: Note.md is gone[31m"


@pytest.mark.parametrize(
    ("level", "priority"),
    [(logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (logging.DEBUG, 7), (5, 7)],
)
def test_each_line_in_the_journal_has_its_level(level: int, priority: int) -> None:
    reported = lines("text", record("one\ntwo", level=level), to_journal=True).split("\n")
    assert [line[:3] for line in reported] == [f"<{priority}>"] * 2


def test_a_line_of_json_is_one_object_with_its_fields() -> None:
    line = lines("json", record("%d of\n“%s”", 2, "größe", run="r-1", findings=2, path=Path("a")))
    assert "\n" not in line
    assert json.loads(line) == {
        "at": "2026-11-21T09:30:00.250+00:00",
        "level": "warning",
        "logger": "daemon.host",
        "message": "2 of\n“größe”",
        "fields": {"run": "r-1", "findings": 2, "path": "a"},
    }


def test_an_exception_is_part_of_its_line() -> None:
    try:
        fail("no such thing")
    except ValueError:
        made = record("failed")
        made.exc_info = sys.exc_info()
    reported = json.loads(lines("json", made))
    assert reported["error"].startswith("Traceback")
    assert reported["error"].endswith("ValueError: no such thing")


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_no_log_may_hold_is_taken_out_everywhere(form: str) -> None:
    def clean(text: str) -> str:
        return text.replace("planted-secret", "(key)")

    try:
        fail("planted-secret")
    except ValueError:
        made = record("%s", "planted-secret", key="planted-secret")
        made.exc_info = sys.exc_info()
    for to_journal in (False, True):
        reported = formatter(form, clean, to_journal=to_journal).format(made)
        assert "(key)" in reported
        assert "ValueError" in reported
        assert "planted-secret" not in reported


def test_only_the_journal_is_taken_for_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "log").open("w") as log:
        monkeypatch.setattr(sys, "stderr", log)
        found = os.fstat(log.fileno())
        assert is_journal({"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"})
        assert not is_journal({"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino + 1}"})
        assert not is_journal({})
    assert not is_journal({"JOURNAL_STREAM": "1:2"})
    monkeypatch.setattr(sys, "stderr", None)
    assert not is_journal({"JOURNAL_STREAM": "1:2"})
