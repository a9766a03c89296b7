"""Parsing in several processes: the same index, whatever becomes of the processes."""

import os
import pickle
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from queue import SimpleQueue
from threading import Event

import pytest
import seccompy

from daemon.index import parallel
from daemon.index.parallel import default_children, parse_files
from daemon.index.parse import Parsed, Wanted, parse_file
from daemon.index.parse_child import Child
from daemon.index.parse_child import Event as ChildEvent
from daemon.index.parse_worker import pack, receive, send, serve, to_message, unpack
from daemon.model.errors import StoppedError
from daemon.ports import Stop
from tests.fakes.indexed_vault import IndexedVault
from tests.fakes.process import ROOT
from vault_adapters import open_vault
from vault_adapters.base import VaultAdapter, VaultNotFoundError
from vault_adapters.note import Role, Scan, VaultFile

TABLES = {"notes": "path", "links": "source, ordinal", "chunks": "id", "chunk_words": "rowid"}


class Children:
    """Counts what is parsed in this process, and knows the children that it started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, dying: int = -1) -> None:
        self.started: list[Child] = []
        self.parsed_here = 0
        started = self.started

        class Known(Child):
            def __init__(self, events: SimpleQueue[ChildEvent], vault: Path) -> None:
                super().__init__(events, vault)
                started.append(self)

            def ask(self, number: int, request: bytes) -> None:
                super().ask(number, request)
                if len(self.asked) > dying >= 0:
                    os.kill(self.pid, signal.SIGKILL)

        def counted(adapter: VaultAdapter, wanted: Wanted) -> Parsed:
            self.parsed_here += 1
            return parse_file(adapter, wanted)

        monkeypatch.setattr(parallel, "Child", Known)
        monkeypatch.setattr(parallel, "parse_file", counted)
        monkeypatch.setattr(parallel, "_FILES", 3)

    @property
    def have_ended(self) -> bool:
        return all(child._process.returncode is not None for child in self.started)


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Children:
    return Children(monkeypatch)


def fill(vault: IndexedVault) -> None:
    """Write every kind of note, in more shares than are parsed here before a child is asked."""
    for number in range(60):
        vault.write(
            f"Notes/{number}.md", f"# Note {number}\n\nSee [[{number + 1}]]. #x é 日本語 text"
        )
    vault.write(".obsidian/templates.json", '{"folder": "Templates"}')
    vault.write("Templates/T.md", "bees [[1]]")
    vault.write("2026-01-01.md", "---\ntags: [day]\naliases: One\n---\na day [[Notes/2|two]]")
    vault.write("Board.canvas", '{"nodes": [{"id": "1", "type": "file", "file": "Notes/3.md"}]}')
    vault.write("Inbox/Ours.md", "---\nlacuna_id: f\ntype: finding\nstatus: pending\n---\n[[1]] it")
    vault.write("Taken.md", "---\nlacuna_id: g\ntype: finding\nstatus: accepted\n---\n[[1]] that")
    vault.write("Out.md", "---\nlacuna_id: h\ntype: finding\nstatus: pending\n---\n[[1]] out")
    vault.write("Broken.md", b"---\na: [\n---\n\xff\x00 [[Nowhere]]")
    vault.write("Twin.md", (vault.root / "Notes/7.md").read_bytes())
    vault.write("picture.png", b"\x89PNG")


def index(vault: IndexedVault, folder: Path, parsers: int | None) -> tuple[object, ...]:
    """Index the vault again and return all that is then in the index, and what the sync said."""
    other = IndexedVault(folder, root=vault.root)
    try:
        other.syncer._parsers = parsers
        report = other.sync()
        tables = [
            [tuple(row) for row in other.db.rows(f"SELECT * FROM {table} ORDER BY {order}")]
            for table, order in TABLES.items()
        ]
        return (report.changed, report.skipped, report.links, *tables)
    finally:
        other.db.close()


@pytest.mark.parametrize("parsers", [1, 2])
def test_a_cold_index_made_with_children_equals_one_made_without(
    vault: IndexedVault, tmp_path: Path, children: Children, parsers: int
) -> None:
    fill(vault)
    alone = index(vault, tmp_path / "alone", 0)
    assert not children.started
    every, children.parsed_here = children.parsed_here, 0
    assert index(vault, tmp_path / "helped", parsers) == alone
    assert len(children.started) == parsers
    assert children.parsed_here < every
    assert children.have_ended


@pytest.mark.parametrize("dying", [0, 4])
def test_a_child_that_is_killed_changes_nothing(
    vault: IndexedVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dying: int
) -> None:
    fill(vault)
    alone = index(vault, tmp_path / "alone", 0)
    children = Children(monkeypatch, dying=dying)
    assert index(vault, tmp_path / "helped", 2) == alone
    assert len(children.started) == 2
    assert children.have_ended


def test_children_that_never_come_up_change_nothing(
    vault: IndexedVault, tmp_path: Path, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault)
    alone = index(vault, tmp_path / "alone", 0)
    monkeypatch.setattr("daemon.index.parse_child._WORKER", "daemon.index.no_such_worker")
    assert index(vault, tmp_path / "helped", 1) == alone
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-such-python"))
    assert index(vault, tmp_path / "again", 1) == alone
    assert children.have_ended


def test_an_adapter_that_cannot_be_sent_is_used_here(
    vault: IndexedVault, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault)
    adapter, loaded = vault.syncer._adapter, list[str]()

    def load(path: str) -> bytes:
        loaded.append(path)
        return (vault.root / path).read_bytes()

    monkeypatch.setattr(adapter, "load", load)
    vault.syncer._parsers = 1
    assert set(vault.sync().changed) <= set(loaded)
    assert not children.started


def test_a_stop_ends_the_children(
    vault: IndexedVault, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.index.sync._NOTES_A_BATCH", 20)
    fill(vault)
    vault.syncer._parsers = 1
    stop = Stop()

    def progress(done: int, total: int, what: str) -> None:
        stop.is_requested = done > 0

    with pytest.raises(StoppedError):
        vault.sync(stop=stop, progress=progress)
    assert children.started
    assert children.have_ended
    assert len(vault.notes.all()) == 20


def test_a_stop_is_noticed_between_two_files(
    vault: IndexedVault, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_FILES", 1_000)
    fill(vault)
    stop = Stop()

    def ask_at_fifth() -> None:
        stop.is_requested = children.parsed_here == 5

    with stop.calling(ask_at_fifth), pytest.raises(StoppedError):
        vault.sync(stop=stop)
    assert children.parsed_here == 5


def test_a_stop_does_not_wait_for_a_child_that_parses(
    vault: IndexedVault, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_LARGE", 1)
    vault.write("A.md", "text")
    stop = Stop()

    def suspend(child: Child, number: int, request: bytes) -> None:
        os.kill(child.pid, signal.SIGSTOP)
        stop.is_requested = True

    monkeypatch.setattr(Child, "ask", suspend)
    with pytest.raises(StoppedError):
        vault.sync(stop=stop)
    assert children.have_ended


def test_a_large_note_is_parsed_by_a_child_and_the_rest_is_not(
    vault: IndexedVault, tmp_path: Path, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_LARGE", 1_000)
    fill(vault)
    vault.write("Large.md", "# Large\n\n" + "See [[1]].\n" * 200)
    vault.write("large.png", b"x" * 2_000)
    here = index(vault, tmp_path / "alone", 0)
    every, children.parsed_here = children.parsed_here, 0
    assert index(vault, tmp_path / "helped", None) == here
    assert len(children.started) == 1
    assert children.parsed_here < every


def test_a_sync_of_little_starts_no_child(vault: IndexedVault, children: Children) -> None:
    fill(vault)
    assert len(vault.sync().changed) > 60
    assert not children.started


def test_the_children_of_a_large_new_vault_start_while_it_is_scanned(
    vault: IndexedVault, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault)
    monkeypatch.setattr(parallel, "_MANY", 60)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    kind, up = type(vault.syncer._adapter), list[int]()
    scan = kind.scan

    def seen(adapter: VaultAdapter) -> Scan:
        up.append(len(children.started))
        return scan(adapter)

    monkeypatch.setattr(kind, "scan", seen)
    vault.sync()
    vault.sync()
    assert up == [1, 1]  # the one of the first look: the second has nothing new to read
    assert children.have_ended


def test_the_children_end_when_the_vault_cannot_be_scanned(
    vault: IndexedVault, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault)
    monkeypatch.setattr(parallel, "_MANY", 60)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)

    def gone(adapter: VaultAdapter) -> Scan:
        raise VaultNotFoundError("gone")

    monkeypatch.setattr(type(vault.syncer._adapter), "scan", gone)
    with pytest.raises(VaultNotFoundError):
        vault.sync()
    assert len(children.started) == 1
    assert children.have_ended


def test_only_much_to_read_is_worth_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3, 4, 5}, raising=False)
    files = [Wanted(VaultFile(f"{n}.md", Role.NOTE, 3_000, 1)) for n in range(1_000)]
    assert default_children(files) == 2
    assert default_children(files[:300]) == 0
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert default_children(files) == 0


def test_what_a_child_cannot_parse_is_met_here(
    vault: IndexedVault, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(vault)
    adapter = open_vault(vault.root)
    wanted = [Wanted(file) for file in adapter.scan().files]
    monkeypatch.setattr("daemon.index.parallel.unpack", lambda data, files: None)
    shares = list(parse_files(adapter, wanted, 1))
    assert children.parsed_here == len(wanted)
    assert [each.file for share, _ in shares for each in share] == [each.file for each in wanted]


def test_a_worker_says_that_it_cannot_parse_and_goes_on(vault: IndexedVault) -> None:
    vault.write("A.md", "text")
    adapter = open_vault(vault.root)
    wanted = [Wanted(file) for file in adapter.scan().files]
    requests, answers = BytesIO(), BytesIO()
    for message in (adapter, [None], wanted):
        send(requests, pack(message))
    requests.seek(0)
    with pytest.raises(EOFError):
        serve(requests, answers)
    answers.seek(0)
    assert unpack(receive(answers), wanted) is None
    assert unpack(receive(answers), wanted) == [parse_file(adapter, wanted[0])]


class Planted:
    """What a pickle does to whoever reads it."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch planted",)


def test_no_answer_of_a_child_runs_anything_or_is_about_another_file(
    vault: IndexedVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("A.md", "text [[B]]")
    vault.write("B.md", "more")
    monkeypatch.chdir(tmp_path)
    adapter = open_vault(vault.root)
    first, second = (Wanted(file) for file in adapter.scan().files if file.path.endswith(".md"))
    good = to_message([parse_file(adapter, first)])
    assert unpack(good, [first]) == [parse_file(adapter, first)]
    assert unpack(good, [second]) is None
    assert unpack(good, [first, second]) is None
    assert unpack(good.replace(b'"A.md", "note"', b'"A.md", {}'), [first]) is None
    for bad in (pickle.dumps(Planted()), b"", b"{}", b"[[]]", b"[" * 100_000, b"\xff"):
        assert unpack(bad, [first]) is None
    assert not (tmp_path / "planted").exists()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
@pytest.mark.skipif(not seccompy.supported(), reason="this kernel has no seccomp")
def test_a_child_is_sealed_before_it_parses(vault: IndexedVault) -> None:
    events: SimpleQueue[ChildEvent] = SimpleQueue()
    child = Child(events, vault.root)
    try:
        child.send_adapter(pack(open_vault(vault.root)))
        child.ask(0, pack([]))
        assert events.get(timeout=60)[1] is not None
        status = Path(f"/proc/{child.pid}/status").read_text()
        assert "Seccomp:\t2" in status
    finally:
        child.end()


def test_a_child_ends_when_its_parent_is_killed() -> None:
    program = (
        "import time; from queue import SimpleQueue; from daemon.index.parse_child import Child;"
        "from daemon.index.parse_worker import pack; from pathlib import Path;"
        "child = Child(SimpleQueue(), Path());"
        "child.send_adapter(pack(None)); child.ask(0, pack([]));"
        "child._events.get(); print(child.pid, flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    assert ends(child)


def ends(pid: int, seconds: float = 60.0) -> bool:
    deadline, pause = time.monotonic() + seconds, Event()
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":  # nobody waits for it, but it has ended
            return True
        pause.wait(0.02)
    return False


def test_answers_come_in_the_order_of_the_questions(vault: IndexedVault) -> None:
    vault.write("A.md", "one [[B]]")
    vault.write("B.md", "---\nstatus: pending\n---\ntwo")
    vault.write("C.png", b"")
    adapter = open_vault(vault.root)
    events: SimpleQueue[ChildEvent] = SimpleQueue()
    child = Child(events, vault.root)
    try:
        child.send_adapter(pack(adapter))
        files = (*adapter.scan().files, VaultFile("gone.md", Role.NOTE, 1, 1))
        for number, file in enumerate(files):
            child.ask(number, pack([Wanted(file)]))
        for file in files:
            answer = events.get(timeout=60)[1]
            assert answer is not None
            assert unpack(answer, [Wanted(file)]) == [parse_file(adapter, Wanted(file))]
    finally:
        child.end()
    assert events.get(timeout=60) == (child, None)


def test_a_child_loads_no_more_than_it_takes_to_parse() -> None:
    program = (
        "import sys, daemon.index.parse_worker;"
        "print(sorted({'faiss', 'numpy', 'sqlite3', 'torch'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
