"""A part of the vault is divided by its subfolders, its clusters, or its most linked notes."""

from collections.abc import Mapping, Sequence

from daemon.asking.statements import Passage, PassageOrigin
from daemon.reports.subtopics import Ground, Subtopic, subtopics_of


def passage(path: str, text: str = "", heading: str = "") -> Passage:
    name = path.rpartition("/")[2].removesuffix(".md")
    return Passage(PassageOrigin.NOTE, path, name, heading, 1, text or f"{name} is a thing.")


def notes(*paths: str) -> dict[str, list[Passage]]:
    return {path: [passage(path)] for path in paths}


def found(
    of: Mapping[str, Sequence[Passage]], ground: Ground, whole: str = "Git"
) -> dict[str, list[str]]:
    every: list[Subtopic] = subtopics_of(whole, of, ground, lambda _word: 1.0)
    return {each.name: list(each.notes) for each in every}


def test_subfolders_divide_a_folder_the_largest_first_and_other_notes_stand_alone() -> None:
    of = notes("Git/x/a.md", "Git/y/b.md", "Git/y/c.md", "Git/y/d.md", "Git/x/e.md", "Git/f.md")
    assert found(of, Ground("Git")) == {
        "y": ["Git/y/b.md", "Git/y/c.md", "Git/y/d.md"],
        "x": ["Git/x/a.md", "Git/x/e.md"],
        "f": ["Git/f.md"],
    }


def test_clusters_divide_it_else_without_the_name_of_the_whole() -> None:
    of = notes("Stash a file.md", "Stash all.md", "Diff words.md", "Diff lines.md", "Bisect.md")
    clusters = [
        ("Stash, Git", ["Stash all.md", "Elsewhere.md", "Stash a file.md"]),
        ("Elsewhere", ["Diff words.md", "Diff lines.md"]),
    ]
    assert found(of, Ground("Git", clusters)) == {
        "Stash": ["Stash all.md", "Stash a file.md"],
        "Diff words · Diff lines": ["Diff words.md", "Diff lines.md"],
        "Bisect": ["Bisect.md"],
    }


def test_a_name_that_the_notes_do_not_have_is_replaced_by_what_their_titles_share() -> None:
    of = notes("Ignore a file.md", "Ignore globally.md", "Why ignore.md", "Diff.md", "Log.md")
    clusters = [("Elsewhere", ["Ignore a file.md", "Ignore globally.md", "Why ignore.md"])]
    assert found(of, Ground("Git", clusters))["Ignore"] == clusters[0][1]


def test_two_groups_never_have_the_same_name() -> None:
    of = notes("Stash a.md", "Stash b.md", "Stash c.md", "Stash d.md")
    clusters = [("Stash", ["Stash a.md", "Stash b.md"]), ("Stash", ["Stash c.md", "Stash d.md"])]
    assert list(found(of, Ground("Git", clusters))) == ["Stash", "Stash c · Stash d"]


def test_a_name_is_no_path_and_no_number_and_names_no_title_twice() -> None:
    of = notes("x/Stash.md", "y/Stash.md", "Diff.md", "Log.md", "Bisect.md")
    clusters = [("Release.2020, 08", ["x/Stash.md", "y/Stash.md"])]
    of["x/Stash.md"] += [passage("x/Stash.md", "Release.2020 of 08.")]
    of["y/Stash.md"] += [passage("y/Stash.md", "Release.2020 of 08.")]
    assert found(of, Ground(None, clusters))["Stash"] == clusters[0][1]


def test_a_hierarchy_of_names_is_divided_as_folders_are() -> None:
    of = notes(
        "doc.publish.md", "doc.publish.cook.md", "doc.publish.cook.a.md", "doc.publish.dev.b.md"
    )
    of |= notes("doc.publish.dev.c.md")
    assert found(of, Ground("doc.publish")) == {
        "cook": ["doc.publish.cook.md", "doc.publish.cook.a.md"],
        "dev": ["doc.publish.dev.b.md", "doc.publish.dev.c.md"],
        "doc.publish": ["doc.publish.md"],
    }


def test_folders_say_nothing_on_a_topic() -> None:
    of = notes("x/a.md", "x/b.md", "y/c.md", "y/d.md")
    assert list(found(of, Ground(None))) == ["a", "b", "c", "d"]


def test_a_cluster_with_most_of_the_notes_divides_nothing() -> None:
    of = notes("a.md", "b.md", "c.md", "d.md")
    ground = Ground("Git", [("All", ["a.md", "b.md", "c.md"])])
    assert list(found(of, ground)) == ["a", "b", "c", "d"]


def test_many_notes_without_clusters_gather_around_those_that_are_linked_and_alike() -> None:
    of = {
        f"{kind} {number}.md": [passage(f"{kind} {number}.md", f"The {kind} keeps {words}.")]
        for kind, words in (("stash", "changes aside"), ("bisect", "halving commits"))
        for number in range(6)
    }
    groups = found(of, Ground("Git"))
    assert groups["Stash"] == [f"stash {number}.md" for number in range(6)]
    assert groups["Bisect"] == [f"bisect {number}.md" for number in range(6)]


def test_two_notes_are_divided_by_their_headings() -> None:
    of = {
        "Git.md": [
            passage("Git.md", "Opening."),
            passage("Git.md", "Keep.", "Stash"),
            passage("Git.md", "Halve.", "Bisect"),
        ]
    }
    assert list(found(of, Ground())) == ["Git", "Stash", "Bisect"]
