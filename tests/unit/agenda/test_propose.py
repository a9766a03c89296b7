"""Which gaps are chosen."""

from datetime import UTC, datetime

import pytest

from daemon.agenda.propose import gaps_for_note, propose
from daemon.model.agenda import Gap, GapKind, GapShape
from daemon.model.evidence import Near
from daemon.store.notes import LinkRow, NoteRow
from tests.fakes.values import a_gap
from vault_adapters.note import Heading, LinkKind, Role

WORDS = [
    "beekeeping", "mycology", "sourdough", "astronomy", "carpentry", "typography", "cartography",
    "falconry", "glazing", "weaving", "printing", "sailing", "forestry", "tanning", "brewing",
    "fencing",
]  # fmt: skip


def gaps(kind: GapKind, count: int, best: float = 0.9, first: int = 0) -> list[Gap]:
    return [
        a_gap(WORDS[first + index], round(best - index * 0.02, 2), kind=kind)
        for index in range(count)
    ]


def test_both_kinds_take_turns_and_the_best_gap_begins() -> None:
    chosen = propose([*gaps(GapKind.GAP, 8, 0.7), *gaps(GapKind.DEEPEN, 8, 0.9, first=8)])
    assert len(chosen) == 8
    assert [gap.kind for gap in chosen] == [GapKind.DEEPEN, GapKind.GAP] * 4


def test_each_kind_has_a_third_when_it_is_there_at_all() -> None:
    chosen = propose([*gaps(GapKind.GAP, 8), *gaps(GapKind.DEEPEN, 3, 0.5, first=8)])
    assert [gap.kind for gap in chosen].count(GapKind.DEEPEN) == 3


def test_one_kind_fills_up_when_the_other_runs_out() -> None:
    assert len(propose([*gaps(GapKind.GAP, 8), *gaps(GapKind.DEEPEN, 1, first=8)])) == 8


def test_weak_gaps_only_fill_up_the_least_number() -> None:
    weak = gaps(GapKind.DEEPEN, 5, 0.2, first=8)
    assert len(propose([*gaps(GapKind.GAP, 1), *weak])) == 3
    assert len(propose([*gaps(GapKind.GAP, 5), *weak])) == 6


def test_nothing_comes_of_nothing() -> None:
    assert propose([]) == []


@pytest.mark.parametrize(
    ("never", "topic"),
    [
        ("rust async", "Rust  Async!"),
        ("rust async", "async Rust"),
        ("rust async", "Rust async latency"),
        ("bee hives", "A hive of bees"),
        ("c", "C"),
    ],
)
def test_a_topic_said_never_to_is_not_proposed_however_it_is_written(
    never: str, topic: str
) -> None:
    assert propose([a_gap(topic)], never={never}) == []


@pytest.mark.parametrize(
    ("never", "topic"),
    [
        ("c", "C++"),
        ("c", "C#"),
        ("c", "C memory model"),
        ("c memory model", "C++ memory model"),
        ("rust", "Rust async"),
        ("rust async", "Rust"),
        ("rust async", "Python async"),
        ("honey bees swarm", "Honey bees dance"),
    ],
)
def test_never_reaches_no_further_than_what_was_said(never: str, topic: str) -> None:
    assert propose([a_gap(topic)], never={never}) == [a_gap(topic)]


@pytest.mark.parametrize("shape", [GapShape.DENSE, GapShape.SPARSE])
def test_never_holds_for_an_area_whose_label_drifts(shape: GapShape) -> None:
    drifted = [a_gap("Honey, bees and dance", shape=shape), a_gap("Bees and wasps", shape=shape)]
    chosen = propose(drifted, never={"honey bees swarm"})
    assert [gap.topic for gap in chosen] == ["Bees and wasps"]


def test_topics_of_late_are_left_to_rest() -> None:
    chosen = propose([a_gap("Async Rust"), a_gap("beekeeping")], recent=["rust async"])
    assert [gap.topic for gap in chosen] == ["beekeeping"]


def test_no_two_proposals_are_alike() -> None:
    chosen = propose([a_gap("Rust async", 0.9), a_gap("async Rust", 0.8), a_gap("hives", 0.7)])
    assert [gap.topic for gap in chosen] == ["Rust async", "hives"]


def test_the_order_of_the_gaps_does_not_matter() -> None:
    given = [*gaps(GapKind.GAP, 6), *gaps(GapKind.DEEPEN, 6, first=8)]
    assert propose(given) == propose(given[::-1])


def a_note(title: str = "Rust async", *headings: str) -> NoteRow:
    return NoteRow(
        path=f"Code/{title}.md",
        role=Role.NOTE,
        title=title,
        size=100,
        mtime_ns=0,
        inode=0,
        hash="",
        words=40,
        frontmatter={},
        tags=(),
        aliases=(),
        headings=tuple(Heading(text, 2, index) for index, text in enumerate(headings)),
        trouble="",
        changed_at=datetime(2026, 11, 21, tzinfo=UTC),
    )


def a_link(target: str, resolved: str | None = None) -> LinkRow:
    return LinkRow("Code/Rust async.md", target, "", None, LinkKind.LINK, 3, resolved)


def test_each_question_of_the_user_is_asked() -> None:
    questions = ["How do executors avoid starvation?", "What does select! cost?"]
    found = gaps_for_note(a_note(), "", [], [], questions)
    assert [gap.topic for gap in found] == questions
    assert {gap.shape for gap in found} == {GapShape.ASKED}
    assert {gap.why for gap in found} == {"you asked in “Rust async”"}
    assert {gap.notes for gap in found} == {("Code/Rust async.md",)}


def test_a_single_question_is_joined_by_one_more() -> None:
    found = gaps_for_note(a_note(), "", [], [], ["How do executors avoid starvation?"])
    assert [gap.topic for gap in found] == ["How do executors avoid starvation?", "Rust async"]


def test_more_questions_than_five_are_cut_and_repetitions_dropped() -> None:
    found = gaps_for_note(
        a_note(), "", [], [], [f"{word} tools" for word in [*WORDS[:7], WORDS[0]]]
    )
    assert [gap.topic for gap in found] == [f"{word} tools" for word in WORDS[:5]]


def test_a_tagged_note_asks_what_it_leaves_open() -> None:
    text = "## Executors\n\nTODO\n\n## Pinning\n\n" + "word " * 80
    found = gaps_for_note(
        a_note("Rust async", "Executors", "Pinning"),
        text,
        [a_link("Waker contracts"), a_link("Tokio", "Code/Tokio.md"), a_link("photo.png")],
        [Near("Code/Rust async.md", "", 1.0), Near("Code/Green threads.md", "", 0.7)],
    )
    topics = [gap.topic for gap in found]
    assert topics == [
        "Rust async",
        "Waker contracts",
        "Rust async Green threads",
        "Rust async Executors",
        "Rust async Tokio",
    ]
    assert [gap.why for gap in found] == [
        "“Rust async” asks for research",
        "“Rust async” names “Waker contracts”, and it leads to no note",
        "“Rust async” is near “Green threads” in meaning and does not link to it",
        "“Rust async” says little under “Executors”",
        "“Rust async” links to “Tokio”",
    ]
    assert {gap.kind for gap in found} == set(GapKind)


@pytest.mark.parametrize("text", ["", "hives hives and bees bees"])
def test_an_almost_empty_note_still_asks_two_things(text: str) -> None:
    found = gaps_for_note(a_note(), text, [], [])
    assert len(found) == 2
    assert all("Rust async" in gap.topic for gap in found)


def test_a_note_without_a_telling_title_is_read_for_its_words() -> None:
    found = gaps_for_note(a_note("2026-11-21"), "hives hives and bees bees", [], [])
    assert found[0].topic == "hives bees"
    assert len(found) == 2


def test_a_note_that_says_nothing_asks_nothing() -> None:
    assert gaps_for_note(a_note("Untitled 3"), "", [], []) == []


def test_a_note_does_not_suggest_what_was_banned_but_asks_what_was_asked() -> None:
    never = {"waker contracts", "rust async"}
    found = gaps_for_note(a_note(), "", [a_link("Waker contracts")], [], never=never)
    assert not {gap.topic for gap in found} & {"Waker contracts", "Rust async"}
    asked = gaps_for_note(a_note(), "", [], [], ["Waker contracts", "Hives"], never=never)
    assert [gap.topic for gap in asked] == ["Waker contracts", "Hives"]


def test_what_a_note_names_is_not_suggested_when_it_was_banned_in_other_words() -> None:
    links = [a_link("Contracts of a waker"), a_link("C++")]
    found = gaps_for_note(a_note(), "", links, [], never={"waker contracts", "c", "async rust"})
    assert {gap.topic for gap in found} & {"Contracts of a waker", "Rust async", "C++"} == {"C++"}


def test_a_tagged_note_still_asks_around_a_subject_that_was_banned() -> None:
    links = [a_link("Tokio", "Code/Tokio.md"), a_link("Pin", "Code/Pin.md")]
    found = gaps_for_note(a_note(), "", links, [], never={"rust async"})
    assert {gap.topic for gap in found} == {"Rust async Tokio", "Rust async Pin"}


def test_what_stands_under_its_own_headings_is_not_little_and_the_far_is_not_near() -> None:
    text = "## Executors\n\n### Tokio\n\n" + "word " * 80
    found = gaps_for_note(
        a_note("Rust async", "Executors"), text, [], [Near("Code/Bread.md", "", 0.1)]
    )
    assert {gap.why for gap in found} == {"“Rust async” asks for research"}
