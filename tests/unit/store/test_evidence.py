from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from daemon.model.agenda import Agenda, AgendaStatus, Depth, GapKind, Task
from daemon.model.errors import ReplayError, StoreError
from daemon.model.evidence import Answer, Document, Flag, Hit, SourceStatus, SourceType
from daemon.model.run import RunRules
from daemon.store.evidence import RunFolder
from daemon.store.run_files import RunDirectory

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
HIT = Hit("fake", SourceType.PAPER, "https://example.org/a", "A title", authors=("Ada",))
TASK = Task("t1", "topic", "query", ("fake",), "because", "Note.md", GapKind.GAP, 0.5)
AGENDA = Agenda("a1", NOW, None, "asked", AgendaStatus.RUNNING, Depth.QUICK, (TASK,))
DOCUMENT = Document(
    id="0123456789abcdef",
    key="url:example.org/a",
    hit=HIT,
    final_url="https://example.org/a",
    fetched_at=NOW,
    sha256="ab",
    text="Zwölf Sätze, und einer mit \U0001f9ea.",
    extracted_by="text",
)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(RunDirectory(tmp_path / "20261121T093000Z-ab12cd"))
    folder.begin(AGENDA, RunRules(covered_similarity=0.9, max_findings=3), NOW)
    return folder


def test_a_folder_opened_again_knows_its_agenda_rules_and_time(folder: RunFolder) -> None:
    again = RunFolder(folder.files)
    assert again.agenda == AGENDA
    assert again.rules == RunRules(covered_similarity=0.9, max_findings=3)
    assert again.started_at == NOW
    assert not again.is_done


def test_a_run_that_is_taken_up_again_keeps_what_it_began_with(folder: RunFolder) -> None:
    later = replace(AGENDA, trigger="changed")
    folder.begin(later, RunRules(0.85, 5), datetime(2027, 1, 1, tzinfo=UTC))
    assert folder.agenda.trigger == "asked"
    assert folder.started_at == NOW


def test_answers_are_on_the_disk_as_soon_as_they_are_added(folder: RunFolder) -> None:
    answer = Answer("fake", "query", SourceStatus.DEGRADED, (HIT,), "half of it", 0.25)
    folder.add_answer("t1", answer)
    assert RunFolder(folder.files).answer("t1", "fake") == answer
    assert RunFolder(folder.files).answer("t1", "other") is None


def test_a_document_comes_back_as_it_was_kept(folder: RunFolder) -> None:
    flags = (Flag("hidden text", 2),)
    folder.add_document("ref", DOCUMENT, flags, b"raw bytes")
    again = RunFolder(folder.files)
    outcome = again.outcome("ref")
    assert outcome is not None
    assert outcome.document == DOCUMENT.id
    assert outcome.key == DOCUMENT.key
    kept = again.document(DOCUMENT.id)
    assert kept.document == DOCUMENT
    assert kept.flags == flags
    assert kept.size == 9
    assert (
        Path(folder.files.locate()) / "documents" / f"{DOCUMENT.id}.bin"
    ).read_bytes() == b"raw bytes"


def test_a_failure_is_remembered_with_its_reason(folder: RunFolder) -> None:
    folder.add_failure("ref", "HTTP 404")
    outcome = RunFolder(folder.files).outcome("ref")
    assert outcome is not None
    assert (outcome.document, outcome.why) == (None, "HTTP 404")


def test_a_text_that_was_changed_is_not_taken_for_the_documents(folder: RunFolder) -> None:
    folder.add_document("ref", DOCUMENT, (), b"raw")
    (Path(folder.files.locate()) / "documents" / f"{DOCUMENT.id}.txt").write_text("something else")
    with pytest.raises(ReplayError, match="was changed after the run"):
        folder.document(DOCUMENT.id)


@pytest.mark.parametrize("name", ["run.json", "sources.json", "context.json"])
def test_a_torn_file_is_named(folder: RunFolder, name: str) -> None:
    (Path(folder.files.locate()) / name).write_text('{"half": ')
    with pytest.raises(ReplayError, match=name):
        RunFolder(folder.files).memory.recall("near", "x") or RunFolder(folder.files).agenda


def test_stored_answers_and_embeddings_are_returned(folder: RunFolder) -> None:
    folder.memory.keep("near", {"key": [["Note.md", "", 0.5]]})
    folder.memory.keep("near", {"other": []})
    folder.memory.keep_vectors({"b": np.array([0.5, 0.25], dtype=np.float32)})
    folder.memory.keep_vectors({"a": np.array([1, 0], dtype=np.float32)})
    again = RunFolder(folder.files).memory
    assert again.recall("near", "key") == [["Note.md", "", 0.5]]
    assert again.recall("near", "other") == []
    assert again.recall("near", "none") is None
    assert again.vectors()["b"].tolist() == [0.5, 0.25]
    assert again.vectors()["a"].tolist() == [1, 0]


def test_torn_embeddings_are_named(folder: RunFolder) -> None:
    (Path(folder.files.locate()) / "embeddings.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ReplayError, match=r"embeddings\.npz"):
        folder.memory.vectors()


def test_the_end_of_a_run_is_recorded_for_programs_and_readers(folder: RunFolder) -> None:
    folder.end({"findings": ["f1"]}, "# Run\n")
    again = RunFolder(folder.files)
    assert again.is_done
    assert again.run_json()["findings"] == ["f1"]
    assert again.agenda == AGENDA
    assert (Path(folder.files.locate()) / "research.md").read_text() == "# Run\n"


def test_no_temporary_file_is_left(folder: RunFolder) -> None:
    folder.add_document("ref", DOCUMENT, (), b"raw")
    assert not list(Path(folder.files.locate()).rglob("*.tmp"))


def test_a_folder_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file where a folder should be")
    with pytest.raises(StoreError, match=r"run\.json"):
        RunFolder(RunDirectory(tmp_path / "runs" / "r1")).begin(AGENDA, RunRules(0.85, 5), NOW)
