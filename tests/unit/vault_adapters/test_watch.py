"""Real changes to real files are reported once, debounced; our own are not."""

import errno
import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vault_adapters import inotify, watch
from vault_adapters.own_writes import GONE, OwnWrites
from vault_adapters.watch import Watcher

PROJECT = Path(__file__).resolve().parents[3]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SOON = 60.0  # seconds; far more than is ever needed


def _hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


class Reported:
    """Collects what a watcher reports; waits for more."""

    def __init__(self) -> None:
        self.sets: list[frozenset[str]] = []
        self._news = threading.Condition()

    def __call__(self, paths: frozenset[str]) -> None:
        with self._news:
            self.sets.append(paths)
            self._news.notify_all()

    @property
    def paths(self) -> set[str]:
        return set().union(*self.sets)

    def wait(self, reached: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(reached, SOON), self.sets


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / "Folder").mkdir(parents=True)
    (root / "note.md").write_text("one", encoding="utf-8")
    return root


@pytest.fixture
def reported() -> Reported:
    return Reported()


@pytest.fixture
def watcher(vault: Path, reported: Reported) -> Iterator[Watcher]:
    watcher = Watcher(vault, _hidden, reported, settle_seconds=0.1)
    watcher.start()
    yield watcher
    watcher.stop()


@pytest.fixture
def own_writes() -> OwnWrites:
    return OwnWrites()


@pytest.fixture
def still(vault: Path, reported: Reported, own_writes: OwnWrites) -> tuple[Watcher, Clock]:
    """A watcher that is not started: events and time are given by the test."""
    clock = Clock()
    watcher = Watcher(
        vault, _hidden, reported, settle_seconds=2, clock=clock, own_writes=own_writes
    )
    return watcher, clock


def _alive(watcher: Watcher) -> bool:
    return watcher.alive


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.usefixtures("watcher")
def test_an_edit_is_reported(vault: Path, reported: Reported) -> None:
    (vault / "note.md").write_text("two", encoding="utf-8")
    reported.wait(lambda: reported.sets == [frozenset({"note.md"})])


@pytest.mark.usefixtures("watcher")
def test_a_save_by_renaming_is_one_change_of_the_note(vault: Path, reported: Reported) -> None:
    (vault / "note.md.sb-1234-temp").write_text("two", encoding="utf-8")
    (vault / "note.md.sb-1234-temp").rename(vault / "note.md")
    reported.wait(lambda: bool(reported.sets))
    assert reported.sets == [frozenset({"note.md"})]


@pytest.mark.usefixtures("watcher")
def test_new_moved_and_deleted_files_are_reported(vault: Path, reported: Reported) -> None:
    (vault / "Folder/new.md").write_text("x", encoding="utf-8")
    reported.wait(lambda: "Folder/new.md" in reported.paths)
    (vault / "Folder/new.md").rename(vault / "moved.md")
    reported.wait(lambda: "moved.md" in reported.paths)
    assert "Folder/new.md" in reported.sets[-1]
    (vault / "note.md").unlink()
    reported.wait(lambda: "note.md" in reported.paths)


@pytest.mark.usefixtures("watcher")
def test_ignored_files_are_never_reported(vault: Path, reported: Reported) -> None:
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian/workspace.json").write_text("{}", encoding="utf-8")
    (vault / "Folder/.lacuna-0123456789abcdef.tmp").touch()
    (vault / "last.md").touch()
    reported.wait(lambda: "last.md" in reported.paths)
    assert reported.paths == {"last.md"}


@pytest.mark.usefixtures("watcher")
def test_a_new_folder_with_all_its_files_is_seen(vault: Path, reported: Reported) -> None:
    for number in range(20):
        path = vault / f"New {number % 3}/deep/{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    expected = {f"New {number % 3}/deep/{number}.md" for number in range(20)}
    reported.wait(lambda: reported.paths >= expected)
    (vault / "New 1/deep/later.md").touch()
    reported.wait(lambda: "New 1/deep/later.md" in reported.paths)


@pytest.mark.usefixtures("watcher")
def test_a_renamed_folder_is_reported_by_both_names(vault: Path, reported: Reported) -> None:
    (vault / "Folder").rename(vault / "Renamed")
    reported.wait(lambda: reported.paths >= {"Folder", "Renamed"})
    (vault / "Renamed/inside.md").touch()
    reported.wait(lambda: "Renamed/inside.md" in reported.paths)


@pytest.mark.usefixtures("watcher")
def test_a_folder_moved_out_of_the_vault_is_reported(
    vault: Path, reported: Reported, tmp_path: Path
) -> None:
    (vault / "Folder").rename(tmp_path / "outside")
    reported.wait(lambda: "Folder" in reported.paths)


def test_five_thousand_files_at_once_are_one_change(vault: Path, reported: Reported) -> None:
    watcher = Watcher(vault, _hidden, reported, settle_seconds=2)
    watcher.start()
    for number in range(5000):
        (vault / f"Folder/{number}.md").touch()
    reported.wait(lambda: len(reported.paths) == 5000)
    watcher.stop()
    assert len(reported.sets) <= 3  # a busy machine may pause longer than a file needs to settle


@pytest.mark.usefixtures("watcher")
def test_reading_is_no_change(vault: Path, reported: Reported) -> None:
    for _ in range(3):
        (vault / "note.md").read_bytes()
    (vault / "last.md").touch()
    reported.wait(lambda: bool(reported.sets))
    assert reported.paths == {"last.md"}


def test_a_vault_reached_through_a_link_has_the_same_paths(
    vault: Path, reported: Reported, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(vault)
    watcher = Watcher(tmp_path / "link", _hidden, reported, settle_seconds=0.05)
    watcher.start()
    (vault / "note.md").write_text("two", encoding="utf-8")
    reported.wait(lambda: reported.paths == {"note.md"})
    watcher.stop()


def test_a_failing_subscriber_stops_nothing(vault: Path, caplog: pytest.LogCaptureFixture) -> None:
    reported = Reported()

    def fails_first(paths: frozenset[str]) -> None:
        reported(paths)
        if len(reported.sets) == 1:
            raise RuntimeError("a subscriber's fault")

    watcher = Watcher(vault, _hidden, fails_first, settle_seconds=0.05)
    watcher.start()
    (vault / "note.md").write_text("two", encoding="utf-8")
    reported.wait(lambda: len(reported.sets) == 1)
    (vault / "note.md").write_text("three", encoding="utf-8")
    reported.wait(lambda: len(reported.sets) == 2)
    watcher.stop()
    assert "1 changed paths failed" in caplog.text


def test_a_watcher_says_whether_it_is_alive_and_can_be_started_again(
    vault: Path, reported: Reported
) -> None:
    beaten = threading.Event()

    def now() -> datetime:
        beaten.set()
        return NOON

    before = set(threading.enumerate())
    watcher = Watcher(vault, _hidden, reported, settle_seconds=0.05, now=now)
    assert not _alive(watcher)
    for text in ("two", "three"):
        reported.sets.clear()
        watcher.start()
        assert _alive(watcher)
        assert watcher.polling == ""
        assert beaten.wait(SOON)
        (vault / "note.md").write_text(text, encoding="utf-8")
        reported.wait(lambda: reported.paths == {"note.md"})
        assert watcher.beat_at == NOON
        watcher.stop()
        assert not _alive(watcher)
        assert set(threading.enumerate()) == before


def test_a_watcher_whose_vault_goes_away_is_not_alive(watcher: Watcher, vault: Path) -> None:
    assert _alive(watcher)
    vault.rename(vault.with_name("aside"))
    assert not _alive(watcher)
    vault.mkdir()
    assert not _alive(watcher)  # another folder of the same name is not what is watched
    watcher.stop()
    watcher.start()
    assert _alive(watcher)


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_watcher_that_died_inside_is_not_alive(
    vault: Path, reported: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchdog.observers.inotify_c import InotifyFD

    died = threading.Event()

    def fails(*_: object) -> None:
        died.set()
        raise RuntimeError("a fault in the observer")

    before = set(threading.enumerate())
    watcher = Watcher(vault, _hidden, reported, settle_seconds=0.05)
    watcher.start()
    assert _alive(watcher)
    (reader,) = (t for t in set(threading.enumerate()) - before if isinstance(t, InotifyFD))
    monkeypatch.setattr(InotifyFD, "handle_event", fails)
    (vault / "note.md").write_text("two", encoding="utf-8")
    assert died.wait(SOON)
    reader.join(SOON)
    assert not _alive(watcher)
    watcher.stop()


def test_a_vault_that_is_not_there_cannot_be_watched(tmp_path: Path, reported: Reported) -> None:
    watcher = Watcher(tmp_path / "missing", _hidden, reported, settle_seconds=0.05)
    with pytest.raises(FileNotFoundError):
        watcher.start()
    assert not _alive(watcher)
    watcher.stop()


def test_polling_takes_over_where_nothing_can_be_watched(
    vault: Path, reported: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_more(*_: object) -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    monkeypatch.setattr(watch, "make_observer", no_more)
    (vault / "loop").symlink_to(vault)
    watcher = Watcher(vault, _hidden, reported, settle_seconds=0.05, poll_seconds=0.05)
    watcher.start()
    assert _alive(watcher)
    assert watcher.polling == (
        "inotify instance limit reached: polling every 0.05 s instead;"
        " `sudo sysctl fs.inotify.max_user_instances=512` allows more"
    )
    (vault / "Folder/new.md").touch()
    reported.wait(lambda: reported.paths == {"Folder/new.md"})
    watcher.stop()


# The limit is lowered in a user namespace of its own, where it concerns nobody else.
RUNS_OUT_OF_WATCHES = """
import sys, threading
from pathlib import Path
from vault_adapters.watch import Watcher
root, at_start = Path(sys.argv[1]), sys.argv[2] == "start"
limit = Path("/proc/sys/user/max_inotify_watches")
limit.write_text("3")
reported, event = set(), threading.Event()
def settled(paths):
    reported.update(paths)
    # Once polling has begun, the whole vault is reported: that includes earlier changes.
    if any("last.md" in path or path == "" for path in paths): event.set()
watcher = Watcher(root, lambda path: False, settled, settle_seconds=0.05, poll_seconds=0.05)
if at_start:
    for name in "abcde": (root / name).mkdir()
    watcher.start()
else:
    watcher.start()
    print("before:", watcher.polling)
    for name in "abcde": (root / name).mkdir()
    (root / "first.md").touch()
while not watcher.polling: pass
for name in "abcde": (root / name / "last.md").touch()
print(event.wait(50), watcher.alive, watcher.polling)
watcher.stop()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
@pytest.mark.parametrize("when", ["start", "later"])
def test_polling_takes_over_when_the_watches_run_out(vault: Path, when: str) -> None:
    unshare = ["unshare", "--user", "--map-root-user"]
    try:
        subprocess.run([*unshare, "true"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"needs a user namespace: {error}")
    ran = subprocess.run(
        [*unshare, sys.executable, "-c", RUNS_OUT_OF_WATCHES, str(vault), when],
        cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if "Permission denied" in ran.stderr:
        pytest.skip("the limit of watches cannot be lowered here")
    *before, stated = ran.stdout.splitlines() or [ran.stderr]
    assert before == ([] if when == "start" else ["before: "])
    assert stated == (
        "True True inotify watch limit reached: polling every 0.05 s instead;"
        " `sudo sysctl fs.inotify.max_user_watches=524288` allows more"
    )


def test_a_folder_that_went_unwatched_is_watched_later(
    vault: Path, reported: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [True, False]
    monkeypatch.setattr(watch, "watches_all_folders", lambda *_: not answers or answers.pop(0))
    watcher = Watcher(vault, _hidden, reported, settle_seconds=0.05)
    watcher.start()
    (vault / "New").mkdir()
    (vault / "New/note.md").touch()
    reported.wait(lambda: "" in reported.paths)
    assert watcher.polling == ""
    (vault / "New/later.md").touch()
    reported.wait(lambda: "New/later.md" in reported.paths)
    watcher.stop()


def test_writes_by_lacuna_are_not_reported(
    still: tuple[Watcher, Clock], own_writes: OwnWrites, vault: Path, reported: Reported
) -> None:
    watcher, clock = still
    own_writes.record("note.md", _sha256("one"))
    watcher.changed(str(vault / "note.md"))
    clock.time = 5
    watcher.settle()
    assert reported.sets == []


def test_an_edit_of_a_note_written_by_lacuna_and_its_undo_are_reported(
    still: tuple[Watcher, Clock], own_writes: OwnWrites, vault: Path, reported: Reported
) -> None:
    watcher, clock = still
    own_writes.record("note.md", _sha256("one"))
    for time, text in ((10, "one, edited"), (20, "one")):
        (vault / "note.md").write_text(text, encoding="utf-8")
        watcher.changed(str(vault / "note.md"))
        clock.time = time
        watcher.settle()
    assert reported.sets == [frozenset({"note.md"})] * 2


def test_a_move_by_lacuna_is_not_reported_and_a_deletion_by_the_user_is(
    still: tuple[Watcher, Clock], own_writes: OwnWrites, vault: Path, reported: Reported
) -> None:
    watcher, clock = still
    own_writes.record("note.md", GONE)
    own_writes.record("Folder/note.md", _sha256("one"))
    (vault / "note.md").rename(vault / "Folder/note.md")
    watcher.changed(str(vault / "note.md"))
    watcher.changed(str(vault / "Folder/note.md"))
    clock.time = 10
    watcher.settle()
    assert reported.sets == []
    (vault / "Folder/note.md").unlink()
    watcher.changed(str(vault / "Folder/note.md"))
    clock.time = 20
    watcher.settle()
    assert reported.sets == [frozenset({"Folder/note.md"})]


def test_a_short_lived_file_is_not_reported_but_a_replaced_one_is(
    still: tuple[Watcher, Clock], vault: Path, reported: Reported
) -> None:
    watcher, clock = still
    watcher.changed(str(vault / "4913"), new=True)
    watcher.changed(str(vault / "deleted.md"))
    clock.time = 5
    watcher.settle()
    assert reported.sets == [frozenset({"deleted.md"})]


def test_only_paths_in_the_vault_count(
    still: tuple[Watcher, Clock], vault: Path, reported: Reported
) -> None:
    watcher, clock = still
    watcher.changed(str(vault))
    watcher.changed(str(vault.parent / "elsewhere.md"))
    watcher.changed(os.fsdecode(os.fsencode(vault) + b"/latin-\xe9.md"))
    clock.time = 5
    watcher.settle()
    (latin, whole) = sorted(reported.paths, reverse=True)
    assert latin.startswith("latin-")
    assert whole == ""


def test_a_file_moved_over_a_known_one_and_deleted_at_once_is_reported(
    vault: Path, reported: Reported
) -> None:
    clock = Clock()
    watcher = Watcher(
        vault,
        _hidden,
        reported,
        settle_seconds=2,
        knows=lambda path: path == "note.md",
        clock=clock,
    )
    (vault / "note.md").unlink()
    for path in ("note.md", "4913"):
        watcher.changed(str(vault / path), new=True)  # as a move from elsewhere is seen
        watcher.changed(str(vault / path))
    clock.time = 5
    watcher.settle()
    assert reported.sets == [frozenset({"note.md"})]


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


def _overflow(watcher: Watcher) -> None:
    """Have the kernel's report of lost events arrive."""
    from watchdog.observers.inotify_c import (
        InotifyConstants,
        InotifyEvent,
        InotifyFD,
        WatchDescriptor,
    )

    (kernel,) = (each for each in threading.enumerate() if isinstance(each, InotifyFD))
    kernel.handle_event(InotifyEvent(WatchDescriptor(-1), InotifyConstants.IN_Q_OVERFLOW, 0, b""))


@LINUX
def test_lost_events_trigger_a_full_scan_at_once(vault: Path, reported: Reported) -> None:
    watcher = Watcher(vault, _hidden, reported, settle_seconds=3600)
    watcher.start()
    _overflow(watcher)
    assert reported.sets == [frozenset({""})]
    watcher.stop()


@LINUX
def test_changes_after_lost_events_are_reported(
    watcher: Watcher, vault: Path, reported: Reported
) -> None:
    _overflow(watcher)
    (vault / "Folder/later.md").touch()
    reported.wait(lambda: "Folder/later.md" in reported.paths)


def _inotify_watches() -> int:
    return max(map(inotify.watches_of, Path("/proc/self/fdinfo").iterdir()))


@LINUX
def test_folders_that_are_ignored_are_not_watched(vault: Path, reported: Reported) -> None:
    (vault / ".git/objects/00").mkdir(parents=True)
    watcher = Watcher(vault, _hidden, reported, settle_seconds=0.05)
    watcher.start()
    assert _inotify_watches() == 2
    (vault / ".trash/deep").mkdir(parents=True)
    (vault / "New").mkdir()
    (vault / "New/.cache").mkdir()
    (vault / "New/note.md").touch()
    reported.wait(lambda: "New/note.md" in reported.paths)
    assert _inotify_watches() == 3
    (vault / ".trash/deep").rename(vault / "Restored")
    (vault / "Restored/note.md").touch()
    # "": look at everything, if the note was there before the folder was watched.
    reported.wait(lambda: not reported.paths.isdisjoint({"Restored/note.md", ""}))
    watcher.stop()
