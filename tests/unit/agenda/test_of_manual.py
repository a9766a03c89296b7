"""What the manuals of a library explain of a note."""

from daemon.agenda.of_manual import manual_gaps
from daemon.model.agenda import GapShape
from tests.fakes.rows import a_note

BODY = "The `-c` flag of `tail` counts bytes:\n\n```\n$ tail -c 100 data.json\n```\n"


def test_an_option_that_a_manual_explains_is_a_topic_and_the_reason_names_both() -> None:
    (gap,) = manual_gaps(a_note("Last bytes.md"), BODY, lambda _name, _body: ["tail(1)", "busybox"])
    assert (gap.shape, gap.query, gap.notes) == (GapShape.LIBRARY, "tail -c", ("Last bytes.md",))
    assert gap.why == (
        "Your note “Last bytes” uses “tail -c”, which “tail(1)” in your library explains"
    )


def test_an_option_that_no_manual_explains_is_no_topic() -> None:
    assert manual_gaps(a_note("Last bytes.md"), BODY, lambda _name, _body: []) == []


def test_a_note_gives_one_such_topic() -> None:
    body = BODY + "The `-f` flag follows:\n\n```\n$ tail -f log\n```\n"
    (gap,) = manual_gaps(a_note("Last bytes.md"), body, lambda name, _body: [name.query])
    assert gap.query == "tail -c"
