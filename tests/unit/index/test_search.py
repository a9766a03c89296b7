"""Finding notes by words and meaning."""

import numpy as np
import pytest

from daemon.index.search import Search, fuse
from daemon.index.snippet import snippet
from daemon.model.errors import ModelError
from daemon.model.notes import ChunkRow
from tests.fakes.indexed_vault import IndexedVault


def a_chunk(note: str, id_: int) -> ChunkRow:
    return ChunkRow(id_, note, 0, "", 0, "", "")


def test_a_note_is_found_once_by_its_best_chunk(vault: IndexedVault) -> None:
    filler = " ".join(f"filler{n}" for n in range(60))
    vault.write("A.md", f"# One\n{filler}\n# Two\nThe waggle dance {filler}\n")
    vault.write("B.md", "wasps")
    vault.sync()
    first, *rest = vault.search.search("waggle dance")
    assert (first.path, first.heading, first.score) == ("A.md", "Two", 1.0)
    assert first.snippet.startswith("The waggle dance")
    assert "A.md" not in [each.path for each in rest]


def test_search_works_with_words_alone(vault: IndexedVault) -> None:
    vault.write("A.md", "bees")
    vault.sync(embed=False)
    assert [r.path for r in Search(vault.notes, None, None).search("bee")] == ["A.md"]


def test_search_goes_on_with_words_when_the_model_is_missing(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    vault.write("A.md", "bees")
    vault.sync()

    def fail(*_: object) -> None:
        raise ModelError("no such model")

    monkeypatch.setattr(vault.embedder, "embed", fail)
    assert [result.path for result in vault.search.search("bees")] == ["A.md"]
    assert "no such model" in caplog.text


def test_meaningless_words_find_no_very_short_note(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("A.md", "keys")
    vault.write("B.md", "keys " * 8)
    vault.sync()
    notes = vault.embedder.embed(["keys"])
    away = np.roll(notes, 1, axis=1)
    for cosine, found in ((0.25, []), (0.35, ["B.md"]), (0.5, ["A.md", "B.md"])):
        question = cosine * notes + np.sqrt(1 - cosine**2) * away
        monkeypatch.setattr(vault.embedder, "embed", lambda _, question=question: question)
        results = vault.search.search("xqwvzk")
        assert [each.path for each in results] == found
        assert all(each.has_no_words for each in results)
        by_words = vault.search.search("keys")
        assert [each.has_no_words for each in by_words] == [False, False]


@pytest.mark.parametrize("query", ["", "  ", '"', "a AND (", "🐝"])
def test_no_query_is_an_error(vault: IndexedVault, query: str) -> None:
    vault.write("A.md", "bees")
    vault.sync()
    assert isinstance(vault.search.search(query), list)


def test_the_limit_holds(vault: IndexedVault) -> None:
    for number in range(5):
        vault.write(f"{number}.md", f"bees {number}")
    vault.sync()
    assert len(vault.search.search("bees", 3)) == 3
    assert vault.search.search("bees", 0) == []


def test_similar_notes_are_user_notes_and_listed_once(vault: IndexedVault) -> None:
    vault.write(".obsidian/app.json", '{"userIgnoreFilters": ["Old/"]}')
    vault.write("daily.canvas", '{"nodes": [{"type": "text", "text": "bees dance"}]}')
    vault.write("A.md", "# One\nbees dance\n")
    vault.write("B.md", "bees\n")
    vault.write("Old/C.md", "bees dance\n")
    vault.write("Finding.md", "---\nlacuna_id: x\n---\nbees dance\n")
    vault.reopen()
    vault.sync()
    vectors = vault.embedder.embed(["bees dance", "bees"])
    first, second = vault.search.nearest_chunks(vectors, 5)
    assert [near.path for near in first] == ["A.md", "B.md"]
    assert [near.path for near in second] == ["B.md", "A.md"]
    assert second[0].similarity == pytest.approx(1.0, abs=1e-3)
    assert first[0].heading == "One"


def test_the_search_for_similar_notes_continues_until_there_are_enough(vault: IndexedVault) -> None:
    for number in range(30):
        card = f'{{"type": "text", "text": "bees {number}"}}'
        vault.write(f"{number}.canvas", f'{{"nodes": [{card}]}}')
    vault.write("A.md", "bees are far")
    vault.sync()
    [near] = vault.search.nearest_chunks(vault.embedder.embed(["bees"]), 1)
    assert [each.path for each in near] == ["A.md"]


def test_an_empty_index_has_no_similar_notes(vault: IndexedVault) -> None:
    vault.sync()
    assert vault.search.nearest_chunks(np.ones((2, 64), dtype=np.float32), 3) == [[], []]
    assert Search(vault.notes, None, None).nearest_chunks(
        np.ones((1, 64), dtype=np.float32), 3
    ) == [[]]


def test_fusion_counts_ranks_of_notes_and_breaks_ties_by_path() -> None:
    a1, a2, b, c = a_chunk("a", 1), a_chunk("a", 2), a_chunk("b", 3), a_chunk("c", 4)
    fused = fuse([[a1, a2, b], [b, a2]])
    assert [(chunk.id, round(score, 3)) for chunk, score in fused] == [(1, 0.992), (3, 0.992)]
    assert fuse([[c], [c]])[0][1] == 1.0
    assert fuse([]) == []


def test_a_snippet_is_the_stretch_with_most_of_the_words() -> None:
    text = (
        "start honey " + "filler " * 100 + "**honey** and\n[[bees|the bees]] dance " + "end " * 100
    )
    shown = snippet(text, ("honey", "bees", "dance"))
    assert "honey and the bees dance" in shown
    assert len(shown) <= 240
    assert shown[0] == shown[-1] == "…"


def test_a_snippet_without_the_words_is_the_beginning() -> None:
    shown = snippet("First words. " + "filler " * 100, ("absent",))
    assert shown.startswith("First words. ")
    assert len(shown) <= 240


def test_a_snippet_finds_words_whatever_their_accents() -> None:
    assert "Café ÉCLAIR" in snippet("x " * 300 + "Café ÉCLAIR" + " y" * 300, ("cafe", "éclair"))
    assert "日本語" in snippet("あ" * 500 + "日本語" + "い" * 500, ("日本",))


def test_similarity_counts_less_in_languages_the_model_does_not_support(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        vault.write(f"{number}.md", f"今天天气很好，我们去公园散步。第{number}篇。")
    vault.write("Sought.md", "推荐系统的冷启动问题很难解决。")
    vault.sync()
    english = Search(vault.notes, vault.vectors, vault.embedder)
    wrong = vault.notes.chunks("3.md")
    monkeypatch.setattr(english, "_by_meaning", lambda *_, **__: wrong)
    name = "sentence-transformers/all-MiniLM-L6-v2"
    monkeypatch.setattr(type(vault.embedder), "model", name)

    first, second = english.search("冷启动问题", 2)

    assert (first.path, second.path) == ("Sought.md", "3.md")
    assert first.score > 0.9
    assert second.score < 0.1


def test_fusion_weighs_its_rankings() -> None:
    one, other = a_chunk("A.md", 1), a_chunk("B.md", 2)
    assert [chunk.note for chunk, _ in fuse([[one], [other]], [0.1, 1.0])] == ["B.md", "A.md"]
