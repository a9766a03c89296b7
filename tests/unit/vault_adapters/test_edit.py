"""Single properties, read and changed in place."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vault_adapters.edit import body_start, read_property, set_property, stamp

NOTE = (
    "---\nfirst: 1\nstatus: pending\nlist:\n  - a\n  - b\n# a remark\nlast: x\n---\nstatus: body\n"
)


def test_a_property_changes_in_its_place_and_nothing_else_does() -> None:
    assert set_property(NOTE, "status", "done") == NOTE.replace("status: pending", "status: done")


def test_a_property_that_is_missing_becomes_the_last() -> None:
    assert set_property(NOTE, "new", "1") == NOTE.replace("last: x\n", "last: x\nnew: 1\n")


def test_a_value_of_several_lines_is_replaced_whole() -> None:
    expected = NOTE.replace("list:\n  - a\n  - b\n", "list: c\n")
    assert set_property(NOTE, "list", "c") == expected


def test_line_ends_and_a_byte_order_mark_are_kept() -> None:
    text = "\ufeff" + NOTE.replace("\n", "\r\n")
    assert set_property(text, "status", "done") == text.replace("pending", "done")
    assert read_property(text, "status") == "pending"
    assert text[body_start(text) :] == "status: body\r\n"


def test_blank_lines_after_a_property_stay() -> None:
    text = "---\na: 1\n\n\nb: 2\n---\n"
    assert set_property(text, "a", "3") == "---\na: 3\n\n\nb: 2\n---\n"


@pytest.mark.parametrize(
    "text", ["", "no properties", "---\nstatus: x\n", " ---\nstatus: x\n---\n"]
)
def test_a_note_without_properties_stays_as_it_is(text: str) -> None:
    assert set_property(text, "status", "done") == text
    assert read_property(text, "status") is None
    assert body_start(text) == 0


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("status: accepted", "accepted"),
        ('"status": "accepted"', "accepted"),
        ("status:   'accepted'  # now", "accepted"),
        ("status:\n  - accepted", ["accepted"]),
        ("status:\n- accepted", ["accepted"]),
        ("status: [a, b]", ["a", "b"]),
        ("status:", None),
        ("status: [a", None),
        ("status: {a: b}", None),
        ("status: [[a]]", None),
        ("status: &a [*a, *a]", None),
        ("statuses: x", None),
        ("status:x", None),
    ],
)
def test_a_property_is_read_as_people_and_editors_write_it(line: str, value: object) -> None:
    assert read_property(f"---\n{line}\n---\n", "status") == value


def test_a_fault_elsewhere_does_not_hide_a_property() -> None:
    assert read_property("---\nbroken: [\nother: :\nstatus: x\n---\n", "status") == "x"


@given(st.text(), st.sampled_from(["status", "new"]))
def test_whatever_the_note_holds_only_our_line_changes(body: str, key: str) -> None:
    text = f"---\na: 1\nstatus: x\n---\n{body}"
    changed = set_property(text, key, "y")
    assert changed.endswith(body)
    assert yaml.safe_load(changed[4 : changed.index("---\n", 4)])[key] is not None


@given(st.text())
def test_reading_never_raises(text: str) -> None:
    read_property(text, "status")
    read_property(f"---\nstatus: {text}\n---\n", "status")
    set_property(text, "status", "x")


def test_a_time_is_local_and_without_offset() -> None:
    at = datetime(2026, 11, 21, 23, 30, 5, 999, tzinfo=UTC)
    assert stamp(at, ZoneInfo("Asia/Tokyo")) == "2026-11-22T08:30:05"
