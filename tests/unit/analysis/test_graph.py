from daemon.analysis.graph import isolated, link_graph, unreferenced, unresolved
from tests.fakes.rows import a_link, a_note
from vault_adapters.note import LinkKind, Role


def test_links_of_every_kind_are_edges_and_are_counted() -> None:
    notes = [a_note("A.md"), a_note("B.md")]
    links = [
        a_link("A.md", "B.md"),
        a_link("A.md", "B.md", kind=LinkKind.EMBED),
        a_link("A.md", "B.md", kind=LinkKind.FRONTMATTER),
    ]

    graph = link_graph(notes, links)

    assert graph.out == {"A.md": {"B.md": 3}, "B.md": {}}
    assert graph.into == {"A.md": {}, "B.md": {"A.md": 3}}
    assert len(graph) == 1
    assert graph.linked("B.md", "A.md")


def test_isolated_and_unreferenced_are_two_kinds_of_orphan() -> None:
    notes = [a_note(name) for name in ("From.md", "To.md", "Alone.md")]

    graph = link_graph(notes, [a_link("From.md", "To.md")])

    assert isolated(graph) == ("Alone.md",)
    assert unreferenced(graph) == ("Alone.md", "From.md")


def test_a_link_to_itself_joins_a_note_to_nothing() -> None:
    graph = link_graph([a_note("A.md")], [a_link("A.md", "A.md", subpath="#Part")])

    assert isolated(graph) == ("A.md",)


def test_files_that_are_not_the_users_thinking_neither_count_nor_link() -> None:
    apart = (Role.TEMPLATE, Role.DAILY, Role.EXCLUDED, Role.OWN)
    notes = [a_note(f"{role}.md", role=role) for role in apart]
    notes += [a_note("A.md"), a_note("picture.png", role=Role.ATTACHMENT)]
    links = [a_link(f"{role}.md", "A.md") for role in apart]
    links += [a_link("A.md", f"{role}.md") for role in apart] + [a_link("A.md", "picture.png")]

    graph = link_graph(notes, links)

    assert graph.notes == ("A.md",)
    assert isolated(graph) == ("A.md",)


def test_a_note_shown_on_a_canvas_is_linked_but_the_canvas_is_no_note() -> None:
    notes = [a_note("A.md"), a_note("Board.canvas", role=Role.CANVAS)]

    graph = link_graph(notes, [a_link("Board.canvas", "A.md", kind=LinkKind.CANVAS)])

    assert graph.notes == ("A.md",)
    assert isolated(graph) == ()
    assert unreferenced(graph) == ()
    assert graph.neighbours("A.md") == set()


def test_spellings_of_one_missing_note_are_one_target() -> None:
    notes = [a_note("A.md"), a_note("B.md"), a_note("C.md")]
    links = [
        a_link("B.md", None, target="Bee forage"),
        a_link("A.md", None, target="Bee forage.md"),
        a_link("C.md", None, target="bee forage"),
        a_link("C.md", None, target="Bee forage"),
        a_link("C.md", None, target="Cafe\u0301"),
        a_link("A.md", None, target="Caf\u00e9"),
        a_link("A.md", None, target="Wax"),
    ]

    found = unresolved(notes, links)

    assert [(one.target, one.sources, one.count) for one in found] == [
        ("Bee forage", ("A.md", "B.md", "C.md"), 4),
        ("Cafe\u0301", ("A.md", "C.md"), 2),
        ("Wax", ("A.md",), 1),
    ]


def test_what_a_template_or_a_daily_note_names_is_not_missing() -> None:
    notes = [a_note("T.md", role=Role.TEMPLATE), a_note("2026-11-20.md", role=Role.DAILY)]
    links = [a_link(note.path, None, target="Somewhere") for note in notes]

    assert unresolved(notes, links) == ()
