from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from daemon.analysis.ages import ages
from tests.fakes.rows import WRITTEN_AT, a_note

NOW = datetime(2026, 11, 21, tzinfo=UTC)
LONG_AGO = datetime(2023, 5, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("updated", "2023-05-04"),
        ("modified", "2023-05-04T00:00:00Z"),
        ("date modified", "2023-05-04T02:00:00+02:00"),
        ("Last-Modified", "2023/05/04"),
        ("lastmod", 1_683_158_400),
        ("updated", 1_683_158_400_000),
    ],
)
def test_a_property_with_the_last_edit_takes_precedence_over_the_file_time(
    name: str, value: Any
) -> None:
    age = ages([a_note("A.md", frontmatter={name: value})], NOW)["A.md"]

    assert age.edited_at == LONG_AGO
    assert age.is_stated


@pytest.mark.parametrize(
    "value",
    ["{{date}}", "soon", "", None, True, 7, 1e30, "2023-13-45", ["2023-05-04"], "2031-01-01"],
)
def test_a_date_that_is_not_in_the_past_is_ignored(value: Any) -> None:
    age = ages([a_note("A.md", frontmatter={"updated": value})], NOW)["A.md"]

    assert age.edited_at == WRITTEN_AT
    assert not age.is_stated


def test_the_file_time_is_used_when_the_note_has_no_date() -> None:
    age = ages([a_note("A.md", frontmatter={"created": "2023-05-04"})], NOW)["A.md"]

    assert (age.edited_at, age.since_at) == (WRITTEN_AT, WRITTEN_AT)


def test_the_file_time_that_a_clone_gives_to_most_files_is_ignored() -> None:
    cloned = [
        a_note(f"{n}.md", changed_at=WRITTEN_AT + timedelta(seconds=n / 10)) for n in range(120)
    ]
    edited = a_note("Edited.md", changed_at=WRITTEN_AT + timedelta(days=2))
    dated = a_note("Dated.md", frontmatter={"date": "2023-05-04"})

    known = ages([*cloned, edited, dated], NOW)

    assert known["7.md"].edited_at is None
    assert known["Edited.md"].edited_at == edited.changed_at
    assert known["Dated.md"].edited_at is None
    assert known["Dated.md"].since_at == LONG_AGO


def test_a_small_vault_may_have_been_written_in_one_sitting() -> None:
    known = ages([a_note(f"{n}.md") for n in range(40)], NOW)

    assert {age.edited_at for age in known.values()} == {WRITTEN_AT}
