"""Which records are one work: whatever their order, and however the evidence is chained."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.model.evidence import Hit, SourceType
from daemon.research.dedup import Offer, offers
from daemon.research.grouping import Member, groups
from daemon.research.identity import keys_of
from daemon.research.records import Record

TITLES = (
    "On the staling of bread and its causes",
    "On the Staling of Bread and Its Causes.",
    "On the staling of bread and its causes, part 2",
    "Erratum: On the staling of bread and its causes",
    "Copper surfaces lower the count of bacteria on bed rails",
    "Silver surfaces lower the count of bacteria on bed rails",
    "Letter to the editor",
    "T",
)
HITS = st.builds(
    Hit,
    source=st.just("index"),
    source_type=st.sampled_from((SourceType.PAPER, SourceType.PREPRINT, SourceType.WEB)),
    url=st.sampled_from([f"https://records.example/{number}" for number in range(12)]),
    title=st.sampled_from(TITLES),
    authors=st.sampled_from(((), ("King, Ada",), ("Hall, B", "King, A"), ("Wałęsa, L",))),
    published=st.sampled_from(("", "2019", "2020-03", "2021", "2024")),
    doi=st.sampled_from(("", "10.1000/1", "10.1000/2", "10.1000/3")),
)


def _members(hits: list[Hit]) -> list[Member]:
    return [Member(hit, Record(hit), frozenset(keys_of(hit))) for hit in hits]


def _named(hits: list[Hit]) -> set[frozenset[Hit]]:
    return {frozenset(hits[number] for number in group) for group in groups(_members(hits))}


@settings(max_examples=300, deadline=None)
@given(st.lists(HITS, max_size=9, unique=True), st.randoms())
def test_the_groups_are_the_same_in_any_order(hits: list[Hit], chance: object) -> None:
    shuffled = list(hits)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert _named(hits) == _named(shuffled)


@settings(max_examples=200, deadline=None)
@given(st.lists(HITS, max_size=9))
def test_each_record_is_in_one_group(hits: list[Hit]) -> None:
    numbers = sorted(number for group in groups(_members(hits)) for number in group)
    assert numbers == list(range(len(hits)))


@settings(max_examples=200, deadline=None)
@given(HITS, HITS)
def test_being_one_is_mutual_and_a_record_is_one_with_itself(one: Hit, other: Hit) -> None:
    assert len(groups(_members([one, other]))) == len(groups(_members([other, one])))
    assert len(groups(_members([one, one]))) == 1


def _record(number: int, title: str, **values: str) -> Hit:
    hit = Hit(
        "index", SourceType.PAPER, f"https://records.example/{number}", title,
        authors=("King, Ada",), published="2020", doi="10.1000/supplement",
    )  # fmt: skip
    return replace(hit, **values)  # type: ignore[arg-type]


def _titles(found: list[Offer]) -> list[str]:
    return [offer.hit.title for offer in found]


def test_the_abstracts_of_a_supplement_with_one_doi_are_works_of_their_own() -> None:
    subjects = (
        "Copper surfaces in intensive care", "Silver dressings after burns", "Zinc in newborns",
        "Iron tablets for schoolchildren in Peru", "Selenium and the risk of stroke in old age",
    )  # fmt: skip
    hits = [_record(number, title) for number, title in enumerate(subjects)]
    found = offers([hits])
    assert _titles(found) == list(subjects)
    assert len({offer.ref for offer in found}) == len(subjects)
    again = _record(9, "Zinc in newborns")
    assert len(offers([[*hits, again]])) == len(subjects)


def test_one_without_a_title_joins_no_two_works_under_a_shared_doi() -> None:
    copper = _record(1, "Copper surfaces in intensive care")
    silver = _record(2, "Silver dressings after burns")
    bare = _record(3, "T")
    assert len(offers([[copper, bare, silver]])) == 3
    assert len(offers([[copper, bare]])) == 1


def test_a_work_without_identifier_does_not_bridge_two_with_different_ones() -> None:
    title = "On the staling of bread and its causes"
    one, other = _record(1, title, doi="10.1000/1"), _record(2, title, doi="10.1000/2")
    bare = _record(3, title, doi="")
    found = offers([[one, bare, other]])
    assert sorted(len(offer.keys) for offer in found) == [2, 3]


def test_the_translated_title_of_one_doi_is_of_one_work() -> None:
    ours = _record(1, "[On the staling of bread and its causes]")
    theirs = _record(2, "Über das Altbackenwerden von Brot und dessen Ursachen")
    assert len(offers([[ours, theirs]])) == 1
    by_others = replace(ours, authors=("Hall, B",))
    assert len(offers([[by_others, theirs]])) == 2


def test_a_title_that_is_only_the_identifier_contests_nothing() -> None:
    reported = _record(1, "On the staling of bread and its causes", doi="10.1038/s41586-020-2649-2")
    bare = _record(2, "10.1038/s41586-020-2649-2", doi="10.1038/s41586-020-2649-2")
    page = _record(3, "https://doi.org/10.1038/s41586-020-2649-2", doi="10.1038/s41586-020-2649-2")
    assert len(offers([[reported], [bare], [page]])) == 1


def test_a_short_title_and_the_same_with_its_subtitle_are_of_one_work() -> None:
    short = _record(1, "Bread and starch")
    long = _record(2, "Bread and starch: what a century of baking and crystallography tells us")
    assert len(offers([[short], [long]])) == 1
