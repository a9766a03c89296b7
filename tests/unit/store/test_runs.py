import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.model.agenda import Agenda, AgendaStatus, Depth, GapKind, Task
from daemon.model.errors import NotFoundError
from daemon.model.run import RunRules, RunStatus
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.run_files import RunDirectories
from daemon.store.runs import RunStore, new_run_id

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
AGENDA = Agenda("a1", NOW, None, "asked", AgendaStatus.RUNNING, Depth.QUICK, ())


@pytest.fixture
def runs(tmp_path: Path) -> RunStore:
    db = Database(tmp_path / "lacuna.db")
    AgendaStore(db).save(AGENDA)
    AgendaStore(db).save(replace(AGENDA, id="a2"))
    return RunStore(db, RunDirectories(tmp_path / "runs"))


def test_run_ids_sort_by_time() -> None:
    first, second = new_run_id(NOW, "b"), new_run_id(NOW + timedelta(seconds=1), "a")
    assert first.startswith("20261121T093000Z-")
    assert first < second
    assert new_run_id(NOW, "a") != new_run_id(NOW, "b")


def test_a_run_that_did_not_end_is_taken_up_again(runs: RunStore) -> None:
    first = runs.begin(AGENDA, NOW)
    assert runs.begin(AGENDA, NOW + timedelta(hours=1)).id == first.id
    runs.end(first.id, RunStatus.STOPPED, NOW)
    assert runs.begin(AGENDA, NOW + timedelta(hours=2)).id == first.id


def test_a_run_that_ended_before_its_agenda_did_is_taken_up_again(runs: RunStore) -> None:
    first = runs.begin(AGENDA, NOW)
    runs.end(first.id, RunStatus.DONE, NOW, digest_path="Digest.md", summary={"findings": ["f"]})
    row = runs.get(first.id)
    assert row is not None
    assert (row.status, row.digest_path) == (RunStatus.DONE, "Digest.md")
    assert row.summary == {"findings": ["f"]}
    assert runs.begin(AGENDA, NOW + timedelta(hours=1)).id == first.id


def test_a_run_that_failed_is_begun_again(runs: RunStore) -> None:
    first = runs.begin(AGENDA, NOW)
    runs.end(first.id, RunStatus.FAILED, NOW)
    assert runs.begin(AGENDA, NOW + timedelta(hours=1)).id != first.id


def test_a_run_is_found_by_a_unique_beginning(runs: RunStore) -> None:
    first = runs.begin(AGENDA, NOW)
    runs.begin(replace(AGENDA, id="a2"), NOW)
    assert runs.get("20261121") is None
    found = runs.get(first.id[:-1])
    assert found is not None
    assert found.id == first.id
    assert runs.get("") is None
    assert runs.get("_%") is None


def test_a_run_without_a_folder_cannot_be_replayed(runs: RunStore, tmp_path: Path) -> None:
    folder = runs.begin(AGENDA, NOW)
    with pytest.raises(NotFoundError, match="no such run"):
        runs.to_replay(folder.id)
    folder.begin(AGENDA, RunRules(0.85, 5), NOW)
    assert runs.to_replay(folder.id).agenda == AGENDA
    assert runs.to_replay(folder.files.locate()).agenda == AGENDA


def about(number: int, topic: str) -> Agenda:
    task = Task("t1", topic, f"{topic} query", ("library",), "thin", None, GapKind.GAP)
    return replace(AGENDA, id=f"a-{number}", tasks=(task,))


@pytest.fixture
def researched(tmp_path: Path) -> tuple[RunStore, AgendaStore]:
    db = Database(tmp_path / "lacuna.db")
    return RunStore(db, RunDirectories(tmp_path / "runs")), AgendaStore(db)


def begun(stores: tuple[RunStore, AgendaStore], agenda: Agenda, hours: int = 0) -> str:
    runs, agendas = stores
    agendas.save(agenda)
    return runs.begin(agenda, NOW + timedelta(hours=hours)).id


def found(runs: RunStore, words: str) -> list[str]:
    return [run.id for run in runs.find(words)]


def test_runs_are_found_by_topic_query_and_titles_the_newest_first(
    researched: tuple[RunStore, AgendaStore],
) -> None:
    runs, _ = researched
    bread = begun(researched, about(1, "Staling of bread"))
    bees = begun(researched, about(2, "Dances of bees"), 1)
    again = begun(researched, about(3, "Bread in the freezer"), 2)
    runs.end(bees, RunStatus.DONE, NOW, summary={"titles": ["Der Schwänzeltanz"], "findings": 1})
    assert found(runs, "BREAD") == [again, bread]
    assert found(runs, "stal bread") == [bread]
    assert found(runs, "schwänzel") == [bees]
    assert found(runs, "piano") == []
    assert found(runs, bees) == [bees]
    assert found(runs, "") == [again, bees, bread]


def test_a_found_run_shows_its_topics(
    researched: tuple[RunStore, AgendaStore],
) -> None:
    runs, _ = researched
    begun(researched, about(1, "Staling of bread"))
    (run,) = runs.find("bread")
    assert run.plan == about(1, "Staling of bread")
    assert runs.get(run.id) == run


def test_runs_of_an_older_version_are_found_too(
    researched: tuple[RunStore, AgendaStore], tmp_path: Path
) -> None:
    runs, _ = researched
    run = begun(researched, about(1, "Staling of bread"))
    Database(tmp_path / "lacuna.db").execute("DELETE FROM run_words")
    assert found(runs, "staling") == [run]


def test_nothing_that_is_typed_is_syntax(researched: tuple[RunStore, AgendaStore]) -> None:
    runs, _ = researched
    begun(researched, about(1, "Staling of bread"))
    for typed in ('"', "%", "' OR '' = '", "*", "\\", "NOT", "\U0010ffff"):
        assert found(runs, typed) == []


def test_a_run_is_found_among_a_thousand_at_once(tmp_path: Path) -> None:
    db = Database(tmp_path / "lacuna.db")
    runs, agendas = RunStore(db, RunDirectories(tmp_path / "runs")), AgendaStore(db)
    topics = ("bread", "bees", "pianos", "tides", "harbours", "glass", "moss")
    with db.transaction():
        for number in range(1000):
            topic = f"{topics[number % 7]} and what number {number} says of {topics[number % 5]}"
            begun((runs, agendas), about(number, topic), number)
    runs.find("bread")
    before = time.process_time()
    for number in range(100, 120):
        (run,) = runs.find(f"what number {number} says of glass bread")[:1]
        assert run.plan is not None
        runs.find()
    spent = (time.process_time() - before) / 40
    assert spent < 0.05  # seconds of the processor for each look


def a_cited(key: str) -> dict[str, object]:
    return {"key": key, "url": f"https://example.org/{key}", "findings": ["f-1"]}


def test_what_a_run_cites_is_stored_and_replaced_when_it_ends_again(runs: RunStore) -> None:
    first, second = runs.begin(AGENDA, NOW), runs.begin(replace(AGENDA, id="a2"), LATER)
    runs.end(first.id, RunStatus.DONE, NOW, cited=[a_cited("a"), a_cited("b")])
    runs.end(second.id, RunStatus.DONE, LATER, cited=[a_cited("b")])
    assert runs.edges.all() == [
        (second.id, a_cited("b")),
        (first.id, a_cited("a")),
        (first.id, a_cited("b")),
    ]
    runs.end(first.id, RunStatus.DONE, NOW, cited=[a_cited("c")])
    runs.mark_pruned(first.id, LATER)
    assert runs.edges.of_run(first.id) == [a_cited("c")]


def test_what_a_run_of_an_older_version_cites_is_read_from_its_folder(tmp_path: Path) -> None:
    db = Database(tmp_path / "lacuna.db")
    AgendaStore(db).save(AGENDA)
    runs = RunStore(db, RunDirectories(tmp_path / "runs"))
    folder = runs.begin(AGENDA, NOW)
    folder.citations.keep_graph({"works": [], "citations": [], "sources": [a_cited("a")]})
    runs.end(folder.id, RunStatus.DONE, NOW)
    assert runs.edges.all() == []  # it has no finding
    db.execute(
        "INSERT INTO findings (id, run, path, status, title, source, key, topic, credibility,"
        " created_at) VALUES ('f-1', ?, 'F.md', 'pending', 'T', 'u', 'a', 'bread', 0.5, ?)",
        (folder.id, NOW.isoformat()),
    )
    assert runs.edges.all() == [(folder.id, a_cited("a"))]
    graph = tmp_path / "runs" / folder.id / "citations.json"
    graph.write_text("[]")
    assert runs.edges.all() == [(folder.id, a_cited("a"))]  # from the table
    db.execute("DELETE FROM citation_edges")
    assert runs.edges.all() == []  # the folder is unreadable
