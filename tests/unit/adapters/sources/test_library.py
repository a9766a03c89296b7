"""The library as a source: it answers from its index, however far that is, and says how far."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.library import LibrarySource
from daemon.adapters.sources.source_parts import Parts
from daemon.library.library import Library
from daemon.model.errors import ExtractError, ModelError, SourceError
from daemon.model.evidence import Answer, Hit, SourceStatus, SourceType
from daemon.ports import Extracted, Vectors
from daemon.store.evidence_json import hit_to_json
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher
from tests.fakes.library import indexed_library, make_library
from tests.fakes.values import NOW

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


def source(library: Library | None) -> LibrarySource:
    return LibrarySource.build(
        Parts(
            name="library",
            entry=load_registry()["library"],
            fetcher=FakeFetcher(),
            extractor=FakeExtractor(),
            embedder=None,
            library=library,
            cache_dir=Path("nowhere"),
        )
    )


def ask(library: Library, query: str, limit: int = 5) -> Answer:
    return asyncio.run(source(library).search(query, limit=limit))


def names(answer: Answer) -> list[str]:
    return [Path(hit.file).name for hit in answer.hits]


def whole(folder: Path, reported: Extracted | None = None) -> Library:
    answers = {TIDES.encode(): reported} if reported is not None else {}
    return indexed_library(folder, state=folder.parent, extractor=FakeExtractor(answers))


def test_the_document_that_is_about_it_comes_first(folder: Path) -> None:
    for embedder in (None, FakeEmbedder()):
        library = indexed_library(folder, state=folder.parent, embedder=embedder)
        assert names(ask(library, "tide tables of a harbour"))[0] == "tides.md"
        assert names(ask(library, "counting varroa mites on bees"))[0] == "mites.html"


def test_a_hit_says_where_it_is_and_shows_the_best_passage(folder: Path) -> None:
    (folder / "tides.md").write_text("Something else entirely. " * 159 + "\n\n" + TIDES)
    hit = ask(whole(folder), "tide tables of a harbour").hits[0]
    assert (hit.url, hit.file) == ((folder / "tides.md").as_uri(),) * 2
    assert (hit.source, hit.source_type) == ("library", SourceType.LIBRARY)
    assert hit.snippet.startswith("Something") is False
    assert "tide tables" in hit.snippet


@pytest.mark.parametrize("question", ["Ottoman poetry of the court", "quantum chromodynamics", "?"])
def test_a_question_about_something_else_is_empty(folder: Path, question: str) -> None:
    answer = ask(whole(folder), question)
    assert (answer.status, answer.hits) == (SourceStatus.EMPTY, ())


def test_a_hit_carries_what_the_document_says_of_itself_but_not_as_its_identity(
    folder: Path,
) -> None:
    reported = Extracted(
        TIDES,
        "trafilatura",
        title="All about tides",
        authors=("A", "B"),
        published="2024-05",
        venue="Harbour News",
        publisher="Port Press",
        doi="10.1000/tides",
        url="https://example.org/tides",
    )
    hit = ask(whole(folder, reported), "harbour tides").hits[0]
    assert (hit.title, hit.authors, hit.published) == ("All about tides", ("A", "B"), "2024-05")
    assert (hit.venue, hit.publisher) == ("Harbour News", "Port Press")
    assert (hit.url, hit.file) == ("https://example.org/tides", (folder / "tides.md").as_uri())
    assert hit.doi == ""


def test_a_preprint_with_its_stamp_has_its_address(folder: Path) -> None:
    reported = Extracted(TIDES, "pdfium", title="Tides", arxiv_id="2501.10120")
    hit = ask(whole(folder, reported), "harbour tides").hits[0]
    assert (hit.url, hit.venue) == ("https://arxiv.org/abs/2501.10120", "arXiv")
    assert (hit.arxiv_id, hit.source_type) == ("", SourceType.LIBRARY)


def test_a_document_that_an_index_knows_is_what_the_index_says(folder: Path) -> None:
    library = whole(folder)
    _, id_ = library.record_of(folder / "tides.md", NOW)
    assert id_ is not None
    known = Hit(
        "openalex",
        SourceType.PAPER,
        "https://doi.org/10.1000/tides",
        "Tides in harbours",
        authors=("Ada Ebb",),
        doi="10.1000/tides",
        citations=7,
    )
    library.store.record(id_, json.dumps(hit_to_json(known)), NOW)
    hit = ask(library, "harbour tides").hits[0]
    assert (hit.source, hit.source_type, hit.doi) == ("library", SourceType.PAPER, "10.1000/tides")
    assert (hit.title, hit.citations) == ("Tides in harbours", 7)
    assert hit.file == (folder / "tides.md").as_uri()
    assert "tide tables" in hit.snippet


def test_a_document_without_a_title_is_called_by_its_file(folder: Path) -> None:
    (folder / "how_tides-turn.txt").write_text(TIDES + " And more of it.")
    titles = {hit.title for hit in ask(whole(folder), "harbour tides").hits}
    assert {"tides", "how tides turn"} <= titles


def test_a_search_reads_and_embeds_no_document(folder: Path) -> None:
    extractor, embedder = FakeExtractor(), FakeEmbedder()
    library = make_library(folder, state=folder.parent, extractor=extractor, embedder=embedder)
    answer = ask(library, "harbour tides")
    assert answer.status is SourceStatus.DEGRADED
    assert answer.why == "0 of 3 documents indexed so far"
    assert (extractor.asked, embedder.asked) == ([], [])


def test_words_answer_while_documents_are_read_and_embedded(folder: Path) -> None:
    library = make_library(folder, state=folder.parent, embedder=FakeEmbedder())
    library.scan()
    why, found = [], []
    more = True
    while more:
        more = library.step(0)
        answer = ask(library, "counting varroa mites")
        why.append(answer.why)
        found.append(names(answer))
    assert why[:2] == ["1 of 3 documents indexed so far", "2 of 3 documents indexed so far"]
    assert why[-1] == ""
    assert found[1] == found[-1] == ["mites.html"]


def test_a_document_that_cannot_be_read_is_named_and_the_others_are_searched(folder: Path) -> None:
    extractor = FakeExtractor({BREAD.encode(): ExtractError("the PDF is encrypted")})
    answer = ask(indexed_library(folder, state=folder.parent, extractor=extractor), "harbour tides")
    assert answer.status is SourceStatus.OK
    assert answer.why == "could not read bread.txt: the PDF is encrypted"


def test_when_no_document_can_be_read_the_library_is_unavailable(folder: Path) -> None:
    error = ExtractError("broken")
    extractor = FakeExtractor({text.encode(): error for text in (TIDES, BREAD, MITES)})
    answer = ask(indexed_library(folder, state=folder.parent, extractor=extractor), "harbour tides")
    assert answer.status is SourceStatus.UNAVAILABLE
    assert answer.why.endswith(": broken, and 2 more")


def test_without_its_model_it_searches_by_words_and_says_so(folder: Path) -> None:
    library = indexed_library(folder, state=folder.parent, embedder=BrokenEmbedder())
    answer = ask(library, "tide tables of a harbour")
    assert answer.status is SourceStatus.DEGRADED
    assert answer.why == "searched by words only: the model cannot be found"
    assert names(answer) == ["tides.md"]


def test_an_empty_folder_is_empty_and_a_missing_one_unavailable(tmp_path: Path) -> None:
    missing = make_library(tmp_path / "none", state=tmp_path)
    assert ask(missing, "tides").status is SourceStatus.UNAVAILABLE
    assert "there is no folder" in ask(missing, "tides").why
    (tmp_path / "none").mkdir()
    assert ask(missing, "tides").status is SourceStatus.EMPTY
    assert "no documents" in ask(missing, "tides").why


def test_a_missing_library_setting_is_reported() -> None:
    with pytest.raises(SourceError, match="no library folder is configured"):
        source(None)


def test_the_limit_is_kept(folder: Path) -> None:
    for number in range(8):
        (folder / f"{number}.md").write_text(f"{TIDES} {number}")
    assert len(ask(whole(folder), "harbour tides", limit=3).hits) == 3


def test_two_copies_of_a_file_are_one_document(folder: Path) -> None:
    (folder / "copy of tides.md").write_text(TIDES)
    assert len(ask(whole(folder), "harbour tides").hits) == 1


def test_many_questions_at_once_are_all_answered(folder: Path) -> None:
    made = source(indexed_library(folder, state=folder.parent, embedder=FakeEmbedder()))

    async def several() -> list[Answer]:
        return await asyncio.gather(*(made.search("harbour tides", limit=5) for _ in range(5)))

    assert all(names(answer)[0] == "tides.md" for answer in asyncio.run(several()))


def test_the_best_passages_of_all_documents_are_found_wherever_they_are(folder: Path) -> None:
    filler = "\n\n".join(f"{place}. {'Ships sail and return. ' * 30}" for place in range(30))
    (folder / "ships.md").write_text(f"{filler}\n\n{MITES}\n\n{filler}")
    library = whole(folder)
    queries = ["Hives: how are the mites counted?", "How are the mites counted?"]
    answer = asyncio.run(source(library).search_passages(queries, limit=3))
    assert answer.query == queries[0]
    files = [Path(hit.file.removeprefix("file:")) for hit in answer.hits]
    texts = {each.name: each.read_text() for each in files}
    assert list(texts)[:2] in (["mites.html", "ships.md"], ["ships.md", "mites.html"])
    for hit in answer.hits[:2]:
        start, end = hit.passages[0]
        assert MITES in texts[Path(hit.file).name][start:end]
    assert not ask(library, queries[0]).hits[0].passages
