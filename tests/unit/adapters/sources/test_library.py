"""The library: found by words and by meaning, read once, and honest when it has nothing."""

import asyncio
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.library import LibrarySource
from daemon.adapters.sources.parts import Parts
from daemon.model.errors import ExtractError, ModelError, SourceError
from daemon.model.evidence import Answer, SourceStatus, SourceType
from daemon.ports import Embedder, Extracted, Vectors
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher

TIDES = "Tides in harbours turn twice a day. The harbour master keeps the tide tables."
BREAD = "Bread goes stale in the fridge because its starch crystallises in the cold."
MITES = "Varroa mites are counted by washing a sample of three hundred bees."


class BrokenEmbedder(FakeEmbedder):
    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        raise ModelError("the model cannot be found")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "library"
    (root / "deep" / "er").mkdir(parents=True)
    (root / "tides.md").write_text(TIDES)
    (root / "bread.txt").write_text(BREAD)
    (root / "deep" / "er" / "mites.html").write_text(MITES)
    return root


def library(
    root: Path,
    *,
    extractor: FakeExtractor | None = None,
    embedder: Embedder | None = None,
    cache: str = "cache",
) -> LibrarySource:
    return LibrarySource.build(
        Parts(
            name="library",
            entry=load_registry()["library"],
            fetcher=FakeFetcher(),
            extractor=extractor or FakeExtractor(),
            embedder=embedder,
            library=root,
            cache_dir=root.parent / cache,
        )
    )


def ask(source: LibrarySource, query: str, limit: int = 5) -> Answer:
    return asyncio.run(source.search(query, limit=limit))


def names(answer: Answer) -> list[str]:
    return [Path(hit.url).name for hit in answer.hits]


def test_the_document_that_is_about_it_is_found(folder: Path) -> None:
    for embedder in (None, FakeEmbedder()):
        source = library(folder, embedder=embedder)
        assert names(ask(source, "tide tables of a harbour")) == ["tides.md"]
        assert names(ask(source, "counting varroa mites on bees")) == ["mites.html"]


def test_a_hit_says_where_it_is_and_shows_the_best_passage(folder: Path) -> None:
    (folder / "tides.md").write_text("Something else entirely. " * 40 + "\n\n" + TIDES)
    hit = ask(library(folder), "tide tables of a harbour").hits[0]
    assert hit.url == (folder / "tides.md").as_uri()
    assert (hit.source, hit.source_type) == ("library", SourceType.LIBRARY)
    assert hit.snippet.startswith("Something") is False
    assert "tide tables" in hit.snippet


@pytest.mark.parametrize("question", ["Ottoman poetry of the court", "quantum chromodynamics", "?"])
def test_a_question_about_something_else_is_empty_and_not_the_nearest(
    folder: Path, question: str
) -> None:
    answer = ask(library(folder), question)
    assert (answer.status, answer.hits) == (SourceStatus.EMPTY, ())


def test_title_authors_and_date_are_what_the_document_says(folder: Path) -> None:
    told = Extracted(TIDES, "trafilatura", "All  about\ntides", ("A", "B"), "2024-05")
    hit = ask(
        library(folder, extractor=FakeExtractor({TIDES.encode(): told})), "harbour tides"
    ).hits[0]
    assert (hit.title, hit.authors, hit.published) == ("All about tides", ("A", "B"), "2024-05")


def test_a_document_without_a_title_is_called_by_its_file(folder: Path) -> None:
    (folder / "how_tides-turn.txt").write_text(TIDES + " And more of it.")
    titles = {hit.title for hit in ask(library(folder), "harbour tides").hits}
    assert titles == {"tides", "how tides turn"}


def test_a_word_of_the_title_counts_in_every_passage(folder: Path) -> None:
    told = Extracted("They turn twice a day, everywhere.", "markdown", "Spring tides")
    source = library(folder, extractor=FakeExtractor({TIDES.encode(): told}))
    assert names(ask(source, "spring tides")) == ["tides.md"]


def test_nothing_is_read_or_embedded_twice_also_by_another_process(folder: Path) -> None:
    extractor, embedder = FakeExtractor(), FakeEmbedder()
    source = library(folder, extractor=extractor, embedder=embedder)
    ask(source, "harbour tides")
    ask(source, "stale bread")
    assert len(extractor.asked) == 3
    assert len(embedder.asked) == 3 + 2
    extractor, embedder = FakeExtractor(), FakeEmbedder()
    ask(library(folder, extractor=extractor, embedder=embedder), "harbour tides")
    assert extractor.asked == []
    assert embedder.asked == ["harbour tides"]


def test_an_embedding_that_breaks_off_keeps_what_was_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tired(FakeEmbedder):
        def embed(
            self, texts: Sequence[str], progress: Callable[[int], None] | None = None
        ) -> Vectors:
            if self.asked:
                raise ModelError("the child was killed")
            return super().embed(texts, progress)

    monkeypatch.setattr("daemon.adapters.sources.shelf_vectors.BATCH", 2)
    assert ask(library(folder, embedder=Tired()), "harbour tides").status is SourceStatus.DEGRADED
    embedder = FakeEmbedder()
    assert names(ask(library(folder, embedder=embedder), "harbour tides")) == ["tides.md"]
    assert len(embedder.asked) == 1 + 1


def test_embeddings_of_another_model_are_not_used(folder: Path) -> None:
    ask(library(folder, embedder=FakeEmbedder("one")), "harbour tides")
    other = FakeEmbedder("two")
    ask(library(folder, embedder=other), "harbour tides")
    assert len(other.asked) == 4


def test_a_changed_a_new_and_a_deleted_document_are_noticed(folder: Path) -> None:
    extractor = FakeExtractor()
    source = library(folder, extractor=extractor, embedder=FakeEmbedder())
    ask(source, "harbour tides")
    (folder / "bread.txt").unlink()
    (folder / "tides.md").write_text(MITES + " Again.")
    (folder / "new.md").write_text(TIDES)
    assert names(ask(source, "tide tables of a harbour"))[0] == "new.md"
    assert ask(source, "starch fridge").hits == ()
    assert len(extractor.asked) == 4


def other_vectors() -> bytes:
    """A good file of somebody else's: the wrong number of vectors."""
    kept = io.BytesIO()
    np.save(kept, np.ones((9, 64), dtype=np.float32))
    return kept.getvalue()


@pytest.mark.parametrize("torn", [b"", b"\x93NUMPY", b"junk", other_vectors()])
def test_a_torn_cache_is_made_anew(folder: Path, torn: bytes) -> None:
    ask(library(folder, embedder=FakeEmbedder()), "harbour tides")
    kept = [path for path in (folder.parent / "cache").rglob("*") if path.is_file()]
    assert len(kept) == 6
    for path in kept:
        path.write_bytes(torn)
    assert names(ask(library(folder, embedder=FakeEmbedder()), "harbour tides")) == ["tides.md"]


def test_hidden_files_other_kinds_and_links_out_of_the_folder_are_skipped(folder: Path) -> None:
    outside = folder.parent / "private.md"
    outside.write_text(TIDES)
    (folder / "link.md").symlink_to(outside)
    (folder / ".hidden.md").write_text(TIDES)
    (folder / ".git").mkdir()
    (folder / ".git" / "x.md").write_text(TIDES)
    (folder / "tides.docx").write_text(TIDES)
    (folder / "loop").symlink_to(folder)
    (folder / "inside.md").symlink_to(folder / "bread.txt")
    (folder / "dangling.md").symlink_to(folder / "nothing.md")
    assert names(ask(library(folder), "harbour tides")) == ["tides.md"]


def test_a_document_that_cannot_be_read_is_told_and_the_others_are_searched(folder: Path) -> None:
    extractor = FakeExtractor({BREAD.encode(): ExtractError("the PDF is encrypted")})
    answer = ask(library(folder, extractor=extractor), "harbour tides")
    assert answer.status is SourceStatus.OK
    assert answer.why == "could not read bread.txt: the PDF is encrypted"


def test_when_no_document_can_be_read_the_library_is_unavailable(folder: Path) -> None:
    error = ExtractError("broken")
    extractor = FakeExtractor({text.encode(): error for text in (TIDES, BREAD, MITES)})
    answer = ask(library(folder, extractor=extractor), "harbour tides")
    assert answer.status is SourceStatus.UNAVAILABLE
    assert answer.why.endswith(": broken, and 2 more")


def test_without_its_model_it_searches_by_words_and_says_so(folder: Path) -> None:
    answer = ask(library(folder, embedder=BrokenEmbedder()), "tide tables of a harbour")
    assert answer.status is SourceStatus.DEGRADED
    assert answer.why == "searched by words only: the model cannot be found"
    assert names(answer) == ["tides.md"]


def test_an_empty_folder_is_empty_and_a_missing_one_unavailable(tmp_path: Path) -> None:
    missing = library(tmp_path / "none")
    assert ask(missing, "tides").status is SourceStatus.UNAVAILABLE
    assert "there is no folder" in ask(missing, "tides").why
    (tmp_path / "none").mkdir()
    assert ask(missing, "tides").status is SourceStatus.EMPTY
    assert "no documents" in ask(missing, "tides").why


def test_no_folder_set_is_said_so() -> None:
    parts = Parts(
        name="library",
        entry=load_registry()["library"],
        fetcher=FakeFetcher(),
        extractor=FakeExtractor(),
        embedder=None,
        library=None,
        cache_dir=Path("nowhere"),
    )
    with pytest.raises(SourceError, match="no library folder is set"):
        LibrarySource.build(parts)


def test_the_limit_is_kept(folder: Path) -> None:
    for number in range(8):
        (folder / f"{number}.md").write_text(f"{TIDES} {number}")
    assert len(ask(library(folder), "harbour tides", limit=3).hits) == 3


def test_the_same_folder_gives_the_same_answer(folder: Path) -> None:
    for number in range(8):
        (folder / f"{number}.md").write_text(TIDES)
    first, second = (
        names(ask(library(folder, embedder=FakeEmbedder(), cache=cache), "harbour tides"))
        for cache in ("a", "b")
    )
    assert first == second
    assert json.dumps(first)


def test_many_questions_at_once_are_all_answered(folder: Path) -> None:
    source = library(folder, embedder=FakeEmbedder())

    async def several() -> list[Answer]:
        return await asyncio.gather(*(source.search("harbour tides", limit=5) for _ in range(5)))

    assert all(names(answer) == ["tides.md"] for answer in asyncio.run(several()))
