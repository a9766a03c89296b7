"""The core of a note is what answers its title: a definition, a command, a list; quoted whole."""

from collections.abc import Sequence

import pytest

from daemon.asking.statements import Passage, PassageOrigin
from daemon.reports.cores import Judge, core_of, outline_of, sections_of


def section(name: str, text: str, heading: str = "") -> Passage:
    return Passage(PassageOrigin.NOTE, f"{name}.md", name, heading, 1, text)


def cores(
    name: str, text: str, most: int = 3, judge: Judge | None = None
) -> list[tuple[str, tuple[str, ...]]]:
    found = core_of([section(name, text)], most, lambda _word: 1.0, judge)
    return [(each.unit.text, each.unit.below) for each in found]


def test_a_definition_comes_before_what_its_writer_lived_through() -> None:
    text = "I was told of it last week at the market.\n\nA sourdough is a dough that yeasts raise."
    assert cores("Sourdough", text, 1) == [("A sourdough is a dough that yeasts raise.", ())]


def test_of_a_terminal_the_command_is_quoted_without_what_it_printed() -> None:
    text = (
        "I have a server, and I can't remember its version.\n\n"
        "Ask the server for it like so:\n\n"
        "```bash\n$ docker exec db psql \\\n  -c 'select version()'\n version\n----------\n 16\n```"
    )
    assert cores("Check The Version Of A Server", text) == [
        ("Ask the server for it like so:", ("docker exec db psql \\", "  -c 'select version()'"))
    ]


def test_a_command_that_the_note_says_fails_is_not_quoted() -> None:
    text = (
        "Without a container, redirect the script:\n\n```\n$ psql < script.sql\n```\n\n"
        "With a container this was silently failing.\n\n"
        "Copy the script into the container first:\n\n```\n$ docker cp script.sql db:/tmp\n```"
    )
    assert cores("Run A Script In A Container", text) == [
        ("Copy the script into the container first:", ("docker cp script.sql db:/tmp",))
    ]


def test_code_is_quoted_whole_or_not_at_all() -> None:
    code = "\n".join(f"line_{number}: {number}" for number in range(40))
    text = f"Ports are written from the outside in.\n\nThe whole file:\n\n```yaml\n{code}\n```"
    assert all("…" not in below and len(below) < 40 for _, below in cores("Ports Of A File", text))


def test_a_session_in_several_lines_of_one_quoted_string_is_one_command() -> None:
    text = "Send it:\n\n```\n$ curl -d '{\n  1\n}' host\nok\nok\n```"
    assert cores("Send A Request", text) == [("Send it:", ("curl -d '{", "  1", "}' host"))]


def test_a_list_is_quoted_whole_with_its_numbers_and_levels() -> None:
    text = "**Systems in order**\n\n1. Object\n2. World\n   - of the scene\n3. Camera\n"
    assert cores("Coordinates", text) == [
        ("Systems in order", ("1. Object", "2. World", "  - of the scene", "3. Camera"))
    ]


def test_a_list_that_goes_on_after_code_is_one_list() -> None:
    text = "1. `*` is `{0,}`\n\n```\na\n```\n\n2. `+` is `{1,}`\n"
    assert ("", ("1. * is {0,}", "2. + is {1,}")) in cores("Classes Of Repetition Signs", text)


def test_formulas_are_quoted_as_they_are_written() -> None:
    text = "Let $a_1$ be the basis:\n\n$$\nM_{view} =\nM_{cam}^{-1}\n$$\n"
    assert cores("Views", text) == [("Let $a_1$ be the basis:", ("$$ M_{view} = M_{cam}^{-1} $$",))]


def test_what_takes_back_a_statement_stands_beside_it() -> None:
    text = "Bakers say that their bread keeps for a month. But nobody should believe them."
    assert cores("Keeping", text) == [(text, ())]


def test_comments_and_lines_that_only_point_elsewhere_are_not_quoted() -> None:
    text = "<!-- Starch is hidden here. -->\n\nSee also: Bread\n\nStarch is a sugar of plants."
    assert cores("Starch", text) == [("Starch is a sugar of plants.", ())]


def test_the_cross_encoder_decides_among_units_of_one_form() -> None:
    text = "Rye grows in cold soil far north.\n\nRye feeds half of the farms in winter."

    def judge(_title: str, texts: Sequence[str]) -> list[float]:
        return [10.0 if "feeds" in each else -10.0 for each in texts]

    assert cores("Rye", text, 1) == [("Rye grows in cold soil far north.", ())]
    assert cores("Rye", text, 1, judge) == [("Rye feeds half of the farms in winter.", ())]


@pytest.mark.parametrize("text", ["https://example.org/a", "Starch", "[[Bread]]"])
def test_an_address_or_the_title_alone_says_nothing(text: str) -> None:
    assert cores("Starch", text) == []


def test_the_outline_of_a_note_has_its_headings_and_names_those_without_space() -> None:
    every = [section("Rye", f"Rye of kind {at} grows in the field.", f"Kind {at}") for at in "abc"]
    assert [each.heading for each in outline_of(every, lambda _word: 1.0)] == [
        "Kind a",
        "Kind b",
        "Kind c",
    ]
    many = [section("Rye", "Rye grows in the field.", f"Kind {at}") for at in range(20)]
    assert outline_of(many, lambda _word: 1.0)[-1].heading == "Further sections"


def test_the_headings_of_a_note_with_several_are_its_list() -> None:
    names = ("Foam", "Memo", "Paste", "Graph", "Summary")
    [line] = sections_of([section("Extensions", "Text of it.", each) for each in names])
    assert line.below == ("Foam · Memo · Paste · Graph",)
    assert sections_of([section("Extensions", "Text of it.", "Foam")]) == []
