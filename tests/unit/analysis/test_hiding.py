from pathlib import Path

import pytest

from daemon.analysis.graph import link_graph
from daemon.analysis.hiding import HiddenLink, HidingAdapter, choose
from tests.fakes.rows import a_link, a_note
from vault_adapters import open_vault
from vault_adapters.note import Note


def hidden_in(folder: Path, text: str, *, plain: bool = False) -> Note:
    """A.md with this text, as it is when its link to B.md is hidden."""
    if not plain:
        (folder / ".obsidian").mkdir()
    (folder / "A.md").write_text(text, encoding="utf-8")
    for name in ("B.md", "C.md"):
        (folder / name).write_text("back to [[A]] and [[C]]", encoding="utf-8")
    return HidingAdapter(open_vault(folder), [HiddenLink("A.md", "B.md")], {}).read("A.md")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("see [[B]] here", "see  here"),
        ("[[B|that one]] and [[B#Part|its part]], ![[B]]", " and , "),
        ("see [that one](B.md) and [again](<B.md>)", "see  and "),
        ("see [[C]] and [[b]]", "see [[C]] and "),
        ("see [[Bee]] and [[B]]", "see [[Bee]] and "),
        ("say B and no more", "say B and no more"),
        ("# On [[B]]\n\n- [ ] ask [[B]]", "# On \n\n- [ ] ask "),
        ("`[[B]]` in code", "`` in code"),
        ("[![a picture](p.png)](B.md) of it", " of it"),
        ("two\nlines [of\ntext](B.md) here", "two\nlines  here"),
    ],
)
def test_all_markup_of_a_hidden_link_is_gone(tmp_path: Path, text: str, left: str) -> None:
    note = hidden_in(tmp_path, text)
    assert note.text == left
    assert all(link.target.casefold() not in ("b", "b.md") for link in note.links)


def test_a_reference_goes_with_its_definition(tmp_path: Path) -> None:
    text = "see [that one][b] and [B]\n\n[b]: B.md 'About B'\n[c]: C.md\n\nand [c]"
    note = hidden_in(tmp_path, text, plain=True)
    assert note.text == "see  and \n\n\n[c]: C.md\n\nand [c]"
    assert [link.target for link in note.links] == ["./C.md"]


def test_a_link_in_the_frontmatter_counts_no_more(tmp_path: Path) -> None:
    note = hidden_in(tmp_path, '---\nup: "[[B]]"\nalso: "[[C]]"\n---\nsaid [[B]] and [[C]]')
    assert [link.target for link in note.links] == ["C", "C"]
    assert note.text.endswith("said  and [[C]]")


def test_the_reverse_is_hidden_too_and_other_notes_are_as_they_were(tmp_path: Path) -> None:
    hidden_in(tmp_path, "see [[B]]")
    vault = HidingAdapter(open_vault(tmp_path), [HiddenLink("A.md", "B.md")], {})
    assert vault.read("B.md").text == "back to  and [[C]]"
    assert vault.read("C.md").text == "back to [[A]] and [[C]]"


def test_a_share_of_the_pairs_is_chosen_and_two_links_of_one_pair_are_one() -> None:
    graph = link_graph(
        [a_note(f"{n}.md") for n in range(40)],
        [a_link(f"{n}.md", f"{(n + 1) % 40}.md") for n in range(40)] + [a_link("1.md", "0.md")],
    )
    assert len(choose(graph, share=0.25, seed=0)) == 10
    everything = choose(graph, share=1.0, seed=0)
    assert len(everything) == 40
    assert HiddenLink("0.md", "1.md") in everything
    assert HiddenLink("1.md", "0.md") not in everything
    assert len(choose(graph, share=1.0, seed=0, limit=3)) == 3


def test_the_seed_alone_decides_which() -> None:
    links = [a_link(f"{n}.md", f"{n + 1}.md") for n in range(39)]
    notes = [a_note(f"{n}.md") for n in range(40)]
    one = choose(link_graph(notes, links), share=0.2, seed=1)
    assert one == choose(link_graph(notes[::-1], links[::-1]), share=0.2, seed=1)
    assert one != choose(link_graph(notes, links), share=0.2, seed=2)
    more = choose(link_graph(notes, [*links, a_link("0.md", "39.md")]), share=0.2, seed=1)
    assert len({*more} - {*one}) <= 1
