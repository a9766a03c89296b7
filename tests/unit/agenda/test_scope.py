"""A user's own schedule covers a part of the vault."""

from daemon.agenda.scope import WHOLE, Scope, within
from daemon.model.agenda import Gap, GapKind, GapShape

TAGS = {
    "Health/Sleep.md": ("sleep",),
    "Health/Naps.md": (),
    "Healthy food.md": ("health/food",),
    "Work/Plan.md": ("Health",),
    "Work/Budget.md": ("healthcare",),
}


def _gap(topic: str, *notes: str) -> Gap:
    return Gap(GapKind.GAP, GapShape.SPARSE, topic, notes, "why", 0.5)


def _topics(scope: Scope, *gaps: Gap) -> list[str]:
    return [gap.topic for gap in within(gaps, scope, TAGS)]


def test_a_folder_holds_what_is_below_it_and_not_what_begins_alike() -> None:
    scope = Scope(folders=("Health",))
    held = [path for path in TAGS if scope.contains(path, TAGS[path])]
    assert held == ["Health/Sleep.md", "Health/Naps.md"]


def test_a_tag_holds_the_tags_below_it_in_any_case() -> None:
    scope = Scope(tags=("health",))
    held = [path for path in TAGS if scope.contains(path, TAGS[path])]
    assert held == ["Healthy food.md", "Work/Plan.md"]


def test_with_folders_and_tags_either_will_do() -> None:
    scope = Scope(folders=("Health",), tags=("health",))
    assert sum(scope.contains(path, tags) for path, tags in TAGS.items()) == 4


def test_a_gap_is_in_scope_if_half_of_its_notes_are_and_lists_those_first() -> None:
    both = _gap("both", "Work/Budget.md", "Health/Sleep.md")
    rather_not = _gap("rather not", "Work/Budget.md", "Work/Plan.md", "Health/Sleep.md")
    scope = Scope(folders=("Health",))
    assert _topics(scope, both, rather_not) == ["both"]
    assert within([both], scope, TAGS)[0].notes == ("Health/Sleep.md", "Work/Budget.md")


def test_the_whole_vault_is_all_gaps_and_asked_ones_have_no_note_to_be_in_a_scope() -> None:
    assert _topics(WHOLE, _gap("asked"), _gap("work", "Work/Plan.md")) == ["asked", "work"]
    assert _topics(Scope(tags=("health",)), _gap("asked")) == []
