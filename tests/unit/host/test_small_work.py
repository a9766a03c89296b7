"""A tagged note, a decision and a quick command go before the rest of a bulk change."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import daemon.composition
from daemon.app import App
from daemon.composition import open_app
from daemon.config import settings_from
from daemon.findings.render import finding_text
from daemon.host.due import Wake
from daemon.host.loop import Host
from daemon.model.event import BaseEvent, StepStart
from daemon.model.finding import FindingStatus
from daemon.model.request import RequestState
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.values import a_finding
from vault_adapters.wikilink import Linker

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
MANY = 400
TAGGED = "---\nresearch: true\n---\n# Wasps\n\n## Why do wasps not dance in their nest?\n"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """An indexed vault of many notes, whose batches are small."""
    monkeypatch.setattr(daemon.composition, "ChildEmbedder", lambda *_, **__: FakeEmbedder())
    monkeypatch.setattr(daemon.composition, "_reranker", lambda *_: None)
    monkeypatch.setattr("daemon.index.sync._NOTES_BETWEEN", 50)
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Wasps.md").write_text("# Wasps\n\nWasps do not dance in their nest.\n")
    for number in range(MANY):
        (vault / f"Bee {number:03}.md").write_text(f"Bee {number} dances.\n")
    (tmp_path / "sources.yaml").write_text("")
    settings = settings_from(
        {"vault": vault, "weekly.enabled": False, "machines.allow_others": False}
    )
    with closing(open_app(settings, state=tmp_path / "state", config=tmp_path / "c.toml")) as app:
        yield app


def edit_all(root: Path) -> list[str]:
    """Change every note."""
    paths = [f"Bee {number:03}.md" for number in range(MANY)]
    for path in paths:
        (root / path).write_text("Changed: it dances no more.\n")
    return paths


def move_some(root: Path) -> list[str]:
    """Delete 50 notes, move 150 into a folder, and change the others."""
    paths = edit_all(root)
    (root / "Moved").mkdir()
    for path in paths[:50]:
        (root / path).unlink()
    for path in paths[50:200]:
        (root / path).rename(root / "Moved" / path)
    return [*paths, *(f"Moved/{path}" for path in paths[50:200])]


def bulk_change(host: Host, meanwhile: Any, change: Callable[[Path], list[str]] = edit_all) -> None:
    """Change many notes, and have something else happen once the first are read."""
    app, acts = host.app, [meanwhile]
    paths = change(app.adapter.root)
    host._wakes.put(frozenset(paths))
    host._take_wake(0)

    def on_event(event: BaseEvent) -> None:
        if isinstance(event, StepStart) and event.step == "reading" and acts:
            acts.pop()()

    app.events.subscribe(on_event)
    host._turn()


def changed(app: App) -> int:
    """How many notes of the bulk change are indexed."""
    texts = (app.index.knowledge.text(f"Bee {number:03}.md") for number in range(MANY))
    return sum(text.startswith("Changed") for text in texts)


@pytest.mark.parametrize("path", ["Wasps.md", "Hornets.md"])
def test_a_tagged_note_has_its_agenda_before_the_rest_is_read(
    app: App, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    host = Host(app, lambda: NOW)
    host._turn()
    propose, read = app.research.tagged_notes.propose, list[tuple[int, int]]()

    def counted(*given: Any) -> Any:
        found = propose(*given)
        read.append((changed(app), len(found)))
        return found

    monkeypatch.setattr(
        type(app.research.tagged_notes), "propose", lambda _self, *given: counted(*given)
    )

    def tag() -> None:
        (app.adapter.root / path).write_text(TAGGED)
        host._wakes.put(frozenset({path}))

    bulk_change(host, tag)
    assert read[0] == (50, 1)
    assert read[-1] == (MANY, 0)
    assert len(app.stores.agendas.open()) == 1
    assert not host._due.sync


def test_small_work_does_not_wait_for_moves_and_deletions(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, indexed = Host(app, lambda: NOW), list[tuple[int, int]]()
    host._turn()
    propose = app.research.tagged_notes.propose

    def counted(*given: Any) -> Any:
        found = propose(*given)
        indexed.append((len(app.index.knowledge.paths()), len(found)))
        return found

    monkeypatch.setattr(
        type(app.research.tagged_notes), "propose", lambda _self, *given: counted(*given)
    )

    def tag() -> None:
        (app.adapter.root / "Wasps.md").write_text(TAGGED)
        host._wakes.put(frozenset({"Wasps.md"}))

    bulk_change(host, tag, move_some)
    assert indexed[0][1] == 1
    assert len(indexed) > 1  # it was planned before the rest was read
    assert len(app.stores.agendas.open()) == 1
    assert len(app.index.knowledge.paths()) == MANY - 50 + 2  # with Wasps.md and the agenda


def test_a_tagged_note_that_moves_in_a_bulk_change_does_not_ask_again(app: App) -> None:
    root = app.adapter.root
    (root / "Bee 399.md").write_text(TAGGED)  # the last one that is read
    host = Host(app, lambda: NOW)
    host._turn()
    assert len(app.stores.agendas.open()) == 1

    def move(root: Path) -> list[str]:
        paths = move_some(root)
        (root / "Bee 399.md").unlink()  # moved, and edited: nothing shows that it is the same file
        (root / "Ants.md").write_text(f"{TAGGED}\nOne more thought.\n")
        return [*paths, "Ants.md"]

    def edit() -> None:
        (root / "Hornets.md").write_text("# Hornets\n")
        host._wakes.put(frozenset({"Hornets.md"}))

    bulk_change(host, edit, move)
    host._turn()
    assert [each.note for each in app.stores.agendas.open()] == ["Bee 399.md"]
    assert app.research.tagged_notes.queue(NOW).later == ()


def test_a_file_that_reuses_an_inode_does_not_take_the_request_of_the_note_that_moved(
    app: App,
) -> None:
    root, aside = app.adapter.root, app.adapter.root.parent / "aside"
    (root / "Bee 399.md").write_text(TAGGED)
    host = Host(app, lambda: NOW)
    host._turn()

    def move(root: Path) -> list[str]:
        paths = edit_all(root)
        (root / "Bee 399.md").rename(aside)
        (root / "Ants.md").write_text(f"{TAGGED}\nOne more thought.\n")
        return [*paths, "Ants.md"]

    def reuse() -> None:
        aside.rename(root / "Hornets.md")
        (root / "Hornets.md").write_text("# Hornets\n")
        host._wakes.put(frozenset({"Hornets.md"}))

    bulk_change(host, reuse, move)
    host._turn()
    assert [each.note for each in app.stores.agendas.open()] == ["Bee 399.md"]


def test_a_decision_and_a_quick_command_do_not_wait_for_the_rest(app: App) -> None:
    host, finding = Host(app, lambda: NOW), a_finding()
    record = app.review.inbox.add_finding(finding, finding_text(finding, link=Linker([])))
    host._turn()
    note, seen = app.adapter.root / record.path, list[int]()

    def decide() -> None:
        note.write_text(note.read_text().replace("status: pending", "status: accepted"))
        app.stores.requests.ask("topic-never", {"topic": "bees"}, now=NOW)
        host._wakes.put(frozenset({record.path}))
        host._wakes.put(Wake.REQUEST)

    def on_decided(event: BaseEvent) -> None:
        if event.request is not None:
            seen.append(changed(app))

    app.events.subscribe(on_decided)
    bulk_change(host, decide)
    assert seen == [50]
    request = app.stores.requests.get(app.db.value("SELECT max(id) FROM requests"))
    assert request is not None
    assert request.state is RequestState.DONE
    assert app.stores.findings.all()[0].status is FindingStatus.ACCEPTED
