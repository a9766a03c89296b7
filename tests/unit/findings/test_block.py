"""The review block, and edits around the user's own words."""

import pytest

from daemon.findings.block import REVIEW_BLOCK, Box, as_status, feedback, ticked
from daemon.model.finding import FindingStatus

HEAD = "---\nlacuna_id: f-1\nstatus: pending\n---\n"
NOTE = f"{HEAD}\n# Title\n\nWords.\n\n{REVIEW_BLOCK}"


def tick(box: Box, text: str = NOTE, mark: str = "x") -> str:
    return text.replace(f"- [ ] {box}\n", f"- [{mark}] {box}\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["x", "X"])
@pytest.mark.parametrize("box", list(Box))
def test_a_ticked_box_is_seen(box: Box, mark: str, newline: str) -> None:
    assert ticked(tick(box, mark=mark).replace("\n", newline)) == {box}


@pytest.mark.parametrize(
    "line",
    ["- [x] Accept ✅ 2026-11-21", "\t* [x] accept", "1. [X] Accept.", "- [x] Accept ^id  "],
)
def test_what_plugins_and_people_add_to_a_box_does_not_hide_it(line: str) -> None:
    assert ticked(NOTE.replace("- [ ] Accept", line)) == {Box.ACCEPT}


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] Accept",
        "- [-] Accept",
        "- [/] Accept",
        "- [x] Accept the invitation",
        "- [x] Acceptance",
        "> - [x] Accept",
        r"\- \[x\] Accept",
        "[x] Accept",
        "",
    ],
)
def test_anything_else_is_no_tick(line: str) -> None:
    assert ticked(NOTE.replace("- [ ] Accept", line)) == frozenset()


def test_a_property_is_no_box() -> None:
    assert ticked("---\nx: |\n  - [x] Accept\n---\n") == frozenset()


def test_accepting_takes_the_block_away_and_leaves_a_clean_note() -> None:
    expected = "---\nlacuna_id: f-1\nstatus: accepted\n---\n\n# Title\n\nWords.\n"
    assert as_status(tick(Box.ACCEPT), FindingStatus.ACCEPTED) == expected


def test_what_the_user_wrote_in_and_after_the_block_stays() -> None:
    text = tick(Box.ACCEPT).replace("- [x] Accept\n", "- [x] Accept\n#good at last\n")
    text += "\n## Mine\n\nA thought.\n\n\nAnother."
    assert as_status(text, FindingStatus.ACCEPTED) == (
        "---\nlacuna_id: f-1\nstatus: accepted\n---\n\n# Title\n\nWords.\n\n#good at last\n\n"
        "## Mine\n\nA thought.\n\n\nAnother."
    )


def test_line_ends_stay_as_the_users_editor_made_them() -> None:
    text = tick(Box.ACCEPT).replace("\n", "\r\n")
    assert as_status(text, FindingStatus.ACCEPTED) == (
        "---\r\nlacuna_id: f-1\r\nstatus: accepted\r\n---\r\n\r\n# Title\r\n\r\nWords.\r\n"
    )


def test_a_note_without_the_block_is_accepted_by_its_property_alone() -> None:
    text = f"{HEAD}\nMine.\n\n\n## Review\n\nof a book\n\n"
    accepted = as_status(text, FindingStatus.ACCEPTED)
    assert accepted == text.replace("pending", "accepted")


def test_dismissing_changes_the_property_only() -> None:
    text = tick(Box.NEVER)
    assert as_status(text, FindingStatus.DISMISSED) == text.replace("pending", "dismissed")


def test_undoing_a_dismissal_unticks_the_boxes() -> None:
    dismissed = as_status(tick(Box.NEVER, tick(Box.DISMISS)), FindingStatus.DISMISSED)
    assert as_status(dismissed, FindingStatus.PENDING) == NOTE


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_undoing_an_acceptance_puts_the_block_back(newline: str) -> None:
    text = NOTE.replace("\n", newline)
    accepted = as_status(text, FindingStatus.ACCEPTED)
    assert as_status(accepted, FindingStatus.PENDING) == text


@pytest.mark.parametrize("status", list(FindingStatus))
def test_every_edit_is_the_same_when_made_twice(status: FindingStatus) -> None:
    once = as_status(tick(Box.ACCEPT), status)
    assert as_status(once, status) == once


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ("#good clear and short", "#good clear and short"),
        ("- #bad: an old paper", "#bad an old paper"),
        ("#Good\n\n#BAD two\r\n", "#good\n#bad two"),
        ("#goodness me", ""),
        ("this is #good", ""),
        ("> #good quoted", ""),
        ("", ""),
    ],
)
def test_good_and_bad_lines_are_kept_as_feedback(lines: str, kept: str) -> None:
    assert feedback(f"{NOTE}\n{lines}") == kept
