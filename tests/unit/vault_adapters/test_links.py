import unicodedata

import pytest

from vault_adapters.links import LinkResolver


def find(target: str, source: str, *paths: str) -> str | None:
    return LinkResolver([source, *paths]).find(target, source)


def test_of_two_notes_the_one_below_the_own_folder_is_taken() -> None:
    assert find("n", "b/s.md", "c/n.md", "b/deep/er/n.md") == "b/deep/er/n.md"


def test_a_note_in_the_root_goes_before_one_in_the_own_folder() -> None:
    assert find("n", "b/s.md", "n.md", "b/n.md") == "n.md"


def test_a_folder_whose_name_only_begins_like_ones_own_is_another() -> None:
    assert find("n", "ab/s.md", "abc/n.md", "z/n.md") == "z/n.md"


def test_of_two_notes_elsewhere_the_shorter_path_is_taken() -> None:
    assert find("n", "b/s.md", "longer/n.md", "c/n.md") == "c/n.md"


def test_of_two_paths_of_one_length_the_first_in_the_alphabet_is_taken() -> None:
    assert find("n", "b/s.md", "y/n.md", "x/n.md") == "x/n.md"


def test_a_whole_path_goes_before_the_own_folder() -> None:
    assert find("x/n", "b/s.md", "b/x/n.md", "x/n.md") == "x/n.md"


def test_a_part_of_a_path_is_enough() -> None:
    assert find("x/n", "s.md", "a/b/x/n.md", "c/n.md") == "a/b/x/n.md"


def test_the_part_may_begin_within_a_name() -> None:
    assert find("older/n", "s.md", "folder/n.md", "x/n.md") == "folder/n.md"


def test_a_part_that_does_not_fit_leads_nowhere() -> None:
    assert find("other/n", "s.md", "folder/n.md") is None


def test_a_slash_first_means_the_whole_path_from_the_root() -> None:
    assert find("/x/n", "s.md", "x/n.md", "y/n.md") == "x/n.md"
    assert find("/n", "s.md", "x/n.md", "y/n.md") is None


@pytest.mark.parametrize(
    ("target", "leads_to"),
    [
        ("./n", "a/b/n.md"),
        ("../n", "a/n.md"),
        ("../../n", "n.md"),
        ("../../../n", "n.md"),
        ("./../n", "a/n.md"),
    ],
)
def test_dots_are_followed_from_the_source(target: str, leads_to: str) -> None:
    assert find(target, "a/b/s.md", "a/b/n.md", "a/n.md", "n.md") == leads_to


def test_a_dot_in_a_name_is_no_suffix() -> None:
    assert find("v1.0 plans", "s.md", "v1.0 plans.md") == "v1.0 plans.md"


def test_a_file_of_the_whole_name_goes_before_a_note() -> None:
    assert find("a.png", "s.md", "a.png.md", "x/a.png") == "x/a.png"


def test_a_note_named_in_nfd_is_found_by_nfc_and_the_other_way_round() -> None:
    nfc, nfd = (unicodedata.normalize(form, "Café") for form in ("NFC", "NFD"))
    assert find(nfc, "s.md", f"{nfd}.md") == f"{nfd}.md"
    assert find(nfd, "s.md", f"{nfc}.md") == f"{nfc}.md"


def test_names_may_hold_any_sign() -> None:
    for name in ("🍀 花园", "a*b?", "100%", "trailing dot.", "C#"):
        assert find(name, "s.md", f"{name}.md") == f"{name}.md"


def test_a_note_is_found_whatever_the_case_of_its_suffix() -> None:
    assert find("n", "s.md", "N.MD") == "N.MD"
