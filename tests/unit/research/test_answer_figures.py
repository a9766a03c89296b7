"""Measuring answers on files of questions."""

import json
from pathlib import Path

import pytest

from daemon.model.errors import LacunaError
from daemon.ports import Stop
from daemon.research.answer_data import load_answers
from daemon.research.answer_figures import Bench
from daemon.research.recall import Recall
from daemon.research.scores import Scores
from daemon.store.run_files import RunDirectory
from daemon.store.run_memory import RunMemory
from tests.fakes.embedder import FakeEmbedder

BREAD = "Bread goes stale fastest in a refrigerator. Toast is made of stale bread by many people."
BEES = "Oxalic acid in winter kills most of the mites. The colony is then free of them for months."
SQUAD = {
    "data": [
        {
            "paragraphs": [
                {
                    "context": BREAD,
                    "qas": [
                        {
                            "question": "Where does bread go stale fastest?",
                            "answers": [{"text": " in a refrigerator", "answer_start": 24}],
                        }
                    ],
                },
                {
                    "context": BEES,
                    "qas": [
                        {
                            "question": "What kills mites in winter?",
                            "answers": [{"text": "Oxalic acid", "answer_start": 0}],
                        },
                        {"question": "Unanswered?", "answers": []},
                    ],
                },
            ]
        }
    ]
}
PUBMED = {
    "1": {"QUESTION": "Does bread go stale in a refrigerator?", "CONTEXTS": [BREAD]},
    "2": {"QUESTION": "Do mites die of oxalic acid?", "CONTEXTS": [BEES, "It was so."]},
}


def _file(folder: Path, content: object) -> Path:
    path = folder / "questions.json"
    path.write_text(json.dumps(content))
    return path


def test_an_answer_is_where_the_file_says_it_is(tmp_path: Path) -> None:
    data = load_answers(_file(tmp_path, SQUAD))
    first = data.questions[0]
    assert len(data.questions) == 2
    assert data.texts[first.document][first.start : first.end] == "in a refrigerator"


@pytest.mark.parametrize("content", [[], {"data": [{}]}, {"1": {"QUESTION": "?"}}, {"data": []}])
def test_another_file_is_one_clear_line(tmp_path: Path, content: object) -> None:
    with pytest.raises(LacunaError, match="questions"):
        load_answers(_file(tmp_path, content))


@pytest.mark.parametrize("has_meaning", [True, False])
def test_each_way_of_answering_gets_its_row(tmp_path: Path, has_meaning: bool) -> None:
    data = load_answers(_file(tmp_path, SQUAD))
    recall = Recall(RunMemory(RunDirectory(tmp_path)), embedder=FakeEmbedder())
    bench = Bench(data, recall, has_meaning=has_meaning, stop=Stop(), progress=lambda *_: None)
    figures = bench.measure(
        {"ours": Scores(RunMemory(RunDirectory(tmp_path)))}, Stop(), lambda *_: None
    )
    table = figures.table()
    assert list(table) == ["ours", "bm25"] + ["embedding"] * has_meaning
    assert table["ours"] == {
        "answer_in_quotes": 1.0,
        "whole_answer_in_a_quote": 1.0,
        "recall@1": 1.0,
        "recall@5": 1.0,
        "others_passed": 0.0,
        "right_refused": 0.0,
    }


def test_where_the_answer_is_not_known_only_the_document_counts(tmp_path: Path) -> None:
    data = load_answers(_file(tmp_path, PUBMED))
    recall = Recall(RunMemory(RunDirectory(tmp_path)), embedder=FakeEmbedder())
    bench = Bench(data, recall, has_meaning=True, stop=Stop(), progress=lambda *_: None)
    table = bench.measure(
        {"ours": Scores(RunMemory(RunDirectory(tmp_path)))}, Stop(), lambda *_: None
    ).table()
    assert table["ours"]["answer_in_quotes"] is None
    assert table["ours"]["recall@1"] == table["bm25"]["recall@1"] == 1.0
