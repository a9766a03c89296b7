"""Landlock itself: in a process of its own, since what is given up is given up for good."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.confinement import landlock

pytestmark = pytest.mark.skipif(
    landlock.version() < landlock.MIN_VERSION, reason="this kernel has no Landlock"
)

ATTEMPTS = """
import json, os, subprocess, sys
from pathlib import Path
from daemon.confinement import landlock

here = Path(sys.argv[1])
inside, state, outside = here / "inside", here / "state", here / "outside"
landlock.restrict([inside, Path("/dev/null")], [state])

attempts = {
    "read": lambda: (outside / "note.md").read_text(),
    "write": lambda: (outside / "new.md").write_text("x"),
    "append": lambda: (outside / "note.md").open("a").write("x"),
    "truncate": lambda: os.truncate(outside / "note.md", 0),
    "remove": lambda: (outside / "note.md").unlink(),
    "rename": lambda: (outside / "note.md").rename(outside / "other.md"),
    "take away": lambda: (outside / "note.md").rename(inside / "note.md"),
    "bring": lambda: (inside / "own.md").rename(outside / "own.md"),
    "link": lambda: os.link(outside / "note.md", outside / "linked.md"),
    "link inside": lambda: os.link(outside / "note.md", inside / "linked.md"),
    "symlink": lambda: os.symlink("note.md", outside / "symlink.md"),
    "mkdir": lambda: (outside / "folder").mkdir(),
    "rmdir": lambda: (outside / "empty").rmdir(),
    "by a child": lambda: subprocess.run(
        [sys.executable, "-c", "import sys; open(sys.argv[1], 'w')", str(outside / "child.md")],
        check=True, stderr=subprocess.DEVNULL,
    ),
    "inside: write": lambda: (inside / "own.md").write_text("y"),
    "inside: mkdir": lambda: (inside / "Archive").mkdir(),
    "inside: move": lambda: (inside / "own.md").rename(inside / "Archive" / "own.md"),
    "inside: truncate": lambda: os.truncate(inside / "Archive" / "own.md", 0),
    "inside: remove": lambda: (inside / "Archive" / "own.md").unlink(),
    "inside: rmdir": lambda: (inside / "Archive").rmdir(),
    "inside: symlink": lambda: os.symlink(outside / "note.md", inside / "way-out.md"),
    "inside: pipe": lambda: os.mkfifo(inside / "pipe"),
    "state: pipe": lambda: os.mkfifo(state / "pipe"),
    "null": lambda: Path("/dev/null").write_text("z"),
}
came_of_it = {}
for name, attempt in attempts.items():
    try:
        attempt()
    except OSError as error:
        came_of_it[name] = type(error).__name__ + str(error.errno)
    except subprocess.CalledProcessError:
        came_of_it[name] = "refused"
    else:
        came_of_it[name] = "done"
print(json.dumps(came_of_it))
"""
REFUSED = "PermissionError13"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("landlock")
    for name in ("inside", "state", "outside/empty"):
        (here / name).mkdir(parents=True)
    (here / "outside" / "note.md").write_text("mine")
    (here / "inside" / "own.md").write_text("ours")
    return here


@pytest.fixture(scope="module")
def attempts(place: Path) -> dict[str, str]:
    """What came of each attempt in a process that had confined itself."""
    done = subprocess.run(
        [sys.executable, "-c", ATTEMPTS, str(place)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_whatever_it_tries_outside_is_refused_and_leaves_all_as_it_was(
    attempts: dict[str, str], place: Path
) -> None:
    outside = {name: came for name, came in attempts.items() if ":" not in name}
    assert outside.pop("read") == "done"
    assert outside.pop("null") == "done"
    assert outside.pop("by a child") == "refused"
    assert outside.pop("link inside") in (REFUSED, "OSError18")  # as across two disks
    assert set(outside.values()) == {REFUSED}, outside
    assert sorted(path.name for path in (place / "outside").iterdir()) == ["empty", "note.md"]
    assert (place / "outside" / "note.md").read_text() == "mine"


def test_inside_it_does_all_that_notes_need_and_no_more(attempts: dict[str, str]) -> None:
    needed = ("write", "mkdir", "move", "truncate", "remove", "rmdir")
    assert {attempts[f"inside: {name}"] for name in needed} == {"done"}
    assert attempts["inside: symlink"] == REFUSED
    assert attempts["inside: pipe"] == REFUSED
    assert attempts["state: pipe"] == "done"


def test_a_folder_that_is_not_there_confines_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        landlock.restrict([tmp_path / "nowhere"])
    (tmp_path / "still").write_text("free")


def test_other_systems_have_no_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert landlock.version() == 0
