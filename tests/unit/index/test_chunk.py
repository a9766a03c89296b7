"""Cutting notes into chunks."""

import random
import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.index.chunk import chunk_note, embedded_text
from daemon.model.notes import Chunk
from daemon.store.query import count_words
from vault_adapters.logseq import LogseqAdapter
from vault_adapters.markdown import parse_note


def chunks(text: str, path: str = "A.md") -> list[Chunk]:
    return chunk_note(parse_note(path, text.encode("utf-8", "replace")))


def words(number: int, name: str = "w") -> str:
    return " ".join(f"{name}{n}" for n in range(number))


def test_each_section_of_some_length_is_a_chunk_under_its_heading() -> None:
    made = chunks(f"# One\n\n{words(40)}\n\n## Two\n\n{words(40)}\n")
    assert [(c.heading, c.context, c.line) for c in made] == [("One", (), 0), ("Two", ("One",), 4)]


def test_frontmatter_is_excluded() -> None:
    [made] = chunks("---\ntags: [bees]\n---\nHoney.\n")
    assert (made.text, made.line) == ("Honey.", 3)


def test_what_a_tool_wrote_for_itself_is_excluded() -> None:
    page = """- # Bees
  id:: 63a1b2c3-1111-2222-3333-444455556666
  collapsed:: true
\t- dance for each other
\t  id:: 63a1b2c3-1111-2222-3333-444455556667
\t  author:: Frisch
\t  :LOGBOOK:
\t  CLOCK: [2023-11-04 Sat 10:00:00]
\t  :END:
\t- in the hive
\t  created-at:: 1700000000000
"""
    note = LogseqAdapter(Path("nowhere")).parse("pages/Bees.md", page.encode())
    [made] = chunk_note(note)
    assert (made.heading, made.line) == ("Bees", 0)
    lines = [line.strip() for line in made.text.splitlines() if line.strip()]
    assert lines == ["- dance for each other", "author:: Frisch", "- in the hive"]


def test_an_empty_note_is_one_chunk_without_text() -> None:
    assert [(c.heading, c.text) for c in chunks("---\na: b\n---\n\n")] == [("", "")]


def test_a_heading_with_nothing_under_it_is_kept() -> None:
    assert [(c.heading, c.text) for c in chunks("# One\n")] == [("One", "")]
    [made] = chunks("## One\n## Two\ntext")
    assert (made.heading, made.text) == ("Two", "One\n\ntext")


def test_small_sections_are_joined() -> None:
    [made] = chunks("## One\na b\n## Two\nc d\n")
    assert (made.heading, made.text) == ("One", "a b\n\nTwo\n\nc d")


def test_an_underlined_heading_s_line_is_no_text() -> None:
    [made] = chunks("One\n===\ntext\n")
    assert (made.heading, made.text) == ("One", "text")


def test_a_heading_in_code_is_code() -> None:
    [made] = chunks("```\n# not a heading\n```\n")
    assert made.heading == ""
    assert "# not a heading" in made.text


def test_long_code_is_bounded() -> None:
    made = chunks("```\n" + "\n".join(words(10, f"l{n}x") for n in range(1000)) + "\n```\nafter\n")
    assert sum(count_words(c.text) for c in made) < 800
    assert made[-1].text.endswith("after")


def test_no_chunk_is_longer_than_the_model_reads() -> None:
    chance = random.Random(1)
    text = "\n\n".join(words(chance.randrange(1, 400)) for _ in range(40)) + "字" * 2000
    assert max(count_words(c.text) for c in chunks(text)) <= 200


def test_all_words_of_prose_are_kept() -> None:
    text = "\n\n".join(words(n * 40, f"p{n}x") for n in range(1, 12))
    kept = " ".join(c.text for c in chunks(text)).split()
    assert sorted(kept) == sorted(text.split())


def test_chunks_say_how_many_words_the_note_has() -> None:
    text = f"---\ntitle: not of the text\n---\n# One two\n\n{words(700)}\n\n学习Python，very well\n"
    assert sum(c.words for c in chunks(text)) == 2 + 700 + 2 + 2


def test_data_in_a_line_is_cut() -> None:
    [made] = chunks("before ![](data:image/png;base64," + "A" * 500_000 + ") after")
    assert len(made.text) < 400
    assert made.text.endswith("after")


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_an_edit_of_one_paragraph_changes_few_chunks(seed: int) -> None:
    chance = random.Random(seed)
    paragraphs = [words(chance.randrange(3, 120), f"p{n}x") for n in range(60)]
    before = {c.hash for c in chunks("\n\n".join(paragraphs))}
    paragraphs[chance.randrange(60)] += " and a few more words"
    after = {c.hash for c in chunks("\n\n".join(paragraphs))}
    assert len(after - before) <= 3


def test_the_hash_knows_heading_and_text_but_not_the_path() -> None:
    one, other = chunks("# A\ntext"), chunks("# A\ntext", "moved/B.md")
    assert one[0].hash == other[0].hash
    assert one[0].hash != chunks("# B\ntext")[0].hash


def test_what_is_embedded_is_what_a_reader_sees() -> None:
    text = "- [ ] a **bold** [[note|shown]] and [link](http://x.y/(z)) `code` <b>b</b> %%no%% ^id"
    assert embedded_text("Head", text) == "Head a bold shown and link code b"


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("#`~\n\n\n[]()!|-*=%<> ")))
def test_any_text_is_cut_and_made_plain(text: str) -> None:
    for chunk in chunks(text):
        assert "\n" not in embedded_text(chunk.heading, chunk.text)


def test_hostile_text_is_processed_quickly() -> None:
    began = time.process_time()
    for part in ("[a](", "[[", "<!--", "%%", "**", "`", "(((((", "[](" * 3, "<a", "|", "- ", "> "):
        for chunk in chunks(part * 20_000):
            embedded_text(chunk.heading, chunk.text)
    assert time.process_time() - began < 20
