"""Which boxes of a digest were ticked, and how they are ticked by us."""

import pytest

from daemon.findings.bulk import all_lines, box_lines, choices, show
from daemon.model.finding import FindingStatus

ACCEPTED, DISMISSED, PENDING = (
    FindingStatus.ACCEPTED,
    FindingStatus.DISMISSED,
    FindingStatus.PENDING,
)
TEXT = "\n".join(
    [
        *("---", "type: digest", "note: - [x] Accept ^accept-f-1", "---", "## Found", ""),
        *(*all_lines(), "", "- [[One]]", *box_lines("f-1"), "- [[Two]]", *box_lines("f-2"), ""),
    ]
)


def ticked(*boxes: str, text: str = TEXT) -> str:
    for box in boxes:
        (line,) = [each for each in text.split("\n")[4:] if each.endswith(f"^{box}")]
        text = text.replace(f"\n{line}\n", "\n" + line.replace("[ ]", "[x]") + "\n")
    return text


def reported(text: str) -> dict[str, FindingStatus | None]:
    return {id: choice.status for id, choice in choices(text).items()}


@pytest.mark.parametrize(
    ("boxes", "one", "two"),
    [
        ((), PENDING, PENDING),
        (("accept-f-1",), ACCEPTED, PENDING),
        (("dismiss-f-2", "accept-f-1"), ACCEPTED, DISMISSED),
        (("accept-all",), ACCEPTED, ACCEPTED),
        (("accept-all", "dismiss-f-2"), ACCEPTED, DISMISSED),
        (("accept-f-1", "dismiss-f-1"), None, PENDING),
        (("accept-all", "dismiss-all", "accept-f-2"), None, ACCEPTED),
    ],
)
def test_a_finding_is_chosen_by_its_own_boxes_else_by_those_for_all(
    boxes: tuple[str, ...], one: FindingStatus | None, two: FindingStatus | None
) -> None:
    assert reported(ticked(*boxes)) == {"f-1": one, "f-2": two}


def test_a_line_is_known_wherever_it_was_moved_and_whatever_was_added_to_it() -> None:
    text = "> quoted\n\n1. [X] Accept it, please ^accept-f-1 ✅ 2026-11-22\n"
    assert reported(text) == {"f-1": ACCEPTED}
    assert reported("- [x] accept-f-1\n- Accept ^accept-f-1\n") == {}


def test_what_became_of_findings_is_shown_and_every_other_byte_stays() -> None:
    text = ticked("accept-all", "dismiss-f-2").replace("## Found", "## Found\r\nmy own words")
    shown = show(text, {"f-1": ACCEPTED, "f-2": PENDING}, settled=True)
    assert reported(shown) == {"f-1": ACCEPTED, "f-2": PENDING}
    assert shown == ticked("accept-f-1").replace("## Found", "## Found\r\nmy own words")
    assert show(shown, {"f-1": PENDING}, settled=True).count("[x]") == 1  # that in the properties
    assert show(text, {}, settled=False) == text
