from dataclasses import replace
from pathlib import Path

from daemon.cycle.retractions import Retractions
from daemon.model.evidence import Answer, SourceStatus, SourceType
from daemon.model.finding import FindingRecord
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.retractions import RetractionFile
from daemon.store.run_files import RunDirectories
from daemon.store.runs import RunStore
from tests.fakes.run_parts import NOW, a_hit, a_task, an_agenda
from tests.fakes.values import a_record

RECORD = a_record(key="doi:10.1000/a", source="https://doi.org/10.1000/a")


def _store(folder: Path) -> RunStore:
    return RunStore(Database(folder / "lacuna.db"), RunDirectories(folder / "runs"))


def _say(folder: Path, agenda: str, **values: object) -> Path:
    """Keep a run in which a source returned the paper as `values` say; return its folder."""
    planned = replace(an_agenda(a_task("bread")), id=agenda)
    AgendaStore(Database(folder / "lacuna.db")).save(planned)
    run = _store(folder).begin(planned, NOW)
    found = a_hit("a", "crossref", source_type=SourceType.PAPER, doi="10.1000/a")
    hit = replace(found, **values)  # type: ignore[arg-type]
    run.add_answer("t-bread", Answer("crossref", "bread", SourceStatus.OK, (hit,)))
    return Path(run.files.locate())


def _reported(folder: Path, record: FindingRecord = RECORD, file: Path | None = None) -> str:
    return Retractions(RetractionFile(file), _store(folder)).of(record)


def test_what_a_source_said_in_a_run_counts(tmp_path: Path) -> None:
    _say(tmp_path, "a-1")
    assert _reported(tmp_path) == ""
    _say(tmp_path, "a-2", retracted=True)
    assert _reported(tmp_path) == "Crossref"


def test_a_title_that_says_so_counts_too(tmp_path: Path) -> None:
    _say(tmp_path, "a-1", title="RETRACTED: A page on bread and more")
    assert _reported(tmp_path) == "its title"


def test_another_papers_retraction_does_not(tmp_path: Path) -> None:
    _say(tmp_path, "a-1", retracted=True)
    assert _reported(tmp_path, replace(RECORD, key="doi:10.1000/ab", source="https://x.org")) == ""


def test_the_local_list_counts_without_any_run(tmp_path: Path) -> None:
    file = tmp_path / "retraction_watch.csv"
    head = "RetractionDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature"
    file.write_text(f"{head}\n1/2/2020 0:00,10.1000/A,55,Retraction\n")
    assert _reported(tmp_path, file=file) == "Retraction Watch (2020-01-02)"
    pubmed = replace(RECORD, key="url:x", source="https://pubmed.ncbi.nlm.nih.gov/55/")
    assert _reported(tmp_path, pubmed, file) == "Retraction Watch (2020-01-02)"


def test_a_torn_run_is_passed_over(tmp_path: Path) -> None:
    _say(tmp_path, "a-1", retracted=True)
    (_say(tmp_path, "a-2") / "sources.json").write_text("{")
    assert _reported(tmp_path) == "Crossref"
