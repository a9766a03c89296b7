"""Full disks, read-only disks and being killed at any step leave whole notes and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vault_adapters.writer import InboxWriter

ROOT = Path(__file__).resolve().parents[3]
INBOX = "Inbox/Research"
OLD, NEW = "old " * 3000, "new " * 5000

# Runs in a process of its own; prints the error, if any, and what is in the inbox afterwards.
WRITE = f"""
import os, sys
from pathlib import Path
from vault_adapters.writer import InboxWriter, WriteError
root, text = Path(sys.argv[1]), "x" * int(sys.argv[2])
try:
    InboxWriter(root, "{INBOX}").write("{INBOX}/note.md", text, expected=None)
except WriteError as error:
    print(type(error).__name__, str(error))
print([name for _, _, names in os.walk(root) for name in names])
"""


def _python(code: str, *args: str, before: str = "") -> list[str]:
    """Run `code`; with `before`, in a mount namespace in which that shell command ran first."""
    command = [sys.executable, "-c", code, *args]
    if before:
        script = f'{before} && shift 0 && exec "$@"'
        command = [
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            script,
            "sh",
            *command,
        ]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


READ_ONLY = ": the drive of your vault is mounted read-only"
NOT_ALLOWED = ": make the inbox folder in your vault writable for you"


@pytest.fixture(scope="module")
def namespaces() -> None:
    try:
        subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", "true"],
            check=True, capture_output=True, timeout=10,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"needs to mount file systems of its own: {error}")


@pytest.mark.usefixtures("namespaces")
def test_a_full_disk_is_one_clear_line_and_leaves_nothing(tmp_path: Path) -> None:
    disk = f"mount -t tmpfs -o size=64k none '{tmp_path}'"
    reported, left = _python(WRITE, str(tmp_path), "200000", before=disk)
    assert reported == f"WriteError {INBOX}/note.md: no space left on device"
    assert left == "[]"
    assert _python(WRITE, str(tmp_path), "2000", before=disk) == ["['note.md']"]


@pytest.mark.usefixtures("namespaces")
def test_a_disk_that_is_full_already_is_one_clear_line(tmp_path: Path) -> None:
    disk = (
        f"mount -t tmpfs -o size=64k none '{tmp_path}' && mkdir -p '{tmp_path}/{INBOX}'"
        f" && (cat /dev/zero > '{tmp_path}/{INBOX}/big' 2>/dev/null || true)"
    )
    reported, left = _python(WRITE, str(tmp_path), "10", before=disk)
    assert reported == f"WriteError {INBOX}/note.md: no space left on device"
    assert left == "['big']"


@pytest.mark.usefixtures("namespaces")
@pytest.mark.parametrize("made", [INBOX, "."])
def test_a_read_only_disk_is_one_clear_line(tmp_path: Path, made: str) -> None:
    (tmp_path / made).mkdir(parents=True, exist_ok=True)
    disk = f"mount --bind '{tmp_path}' '{tmp_path}' && mount -o remount,ro,bind '{tmp_path}'"
    reported, left = _python(WRITE, str(tmp_path), "10", before=disk)
    assert reported == f"WriteError {INBOX}/note.md: read-only file system{READ_ONLY}"
    assert left == "[]"


def test_a_file_size_limit_is_one_clear_line_and_leaves_nothing(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    reported, left = _python(limit + WRITE, str(tmp_path), "100000")
    assert reported == f"WriteError {INBOX}/note.md: file too large"
    assert left == "[]"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_a_folder_without_permission_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / INBOX).mkdir(parents=True)
    (tmp_path / INBOX).chmod(0o500)
    reported, left = _python(WRITE, str(tmp_path), "10")
    (tmp_path / INBOX).chmod(0o700)
    assert reported == f"WriteError {INBOX}/note.md: permission denied{NOT_ALLOWED}"
    assert left == "[]"


# Forks once for each step: the child kills itself just before the n-th call to the system, the
# parent looks at what there is. Ends when a child got to its end alive.
KILL_AT_EACH_STEP = f"""
import fcntl, os, signal, sys
from pathlib import Path
from vault_adapters import writer as module
from vault_adapters.writer import InboxWriter, content_hash

root, replace = Path(sys.argv[1]), sys.argv[2] == "replace"
note, old, new = "{INBOX}/note.md", {OLD!r}, {NEW!r}
inbox = InboxWriter(root, "{INBOX}")

def kill_at(step):
    calls = 0
    def counted(function):
        def call(*args, **kwargs):
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)
        return call
    for name in ("open", "mkdir", "fdopen", "fsync", "replace", "unlink", "link", "close", "stat"):
        setattr(os, name, counted(getattr(os, name)))
    module._rename_exclusive = counted(module._rename_exclusive)
    module._check_unchanged = counted(module._check_unchanged)

step, killed = 0, True
while killed:
    step += 1
    for name in (note, "{INBOX}/.keep"):
        (root / name).unlink(missing_ok=True)
    if replace:
        inbox.write(note, old, expected=None)
    child = os.fork()
    if child == 0:
        kill_at(step)
        inbox.write(note, new, expected=content_hash(old.encode()) if replace else None)
        os._exit(0)
    killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    names = [n for _, _, names in os.walk(root) for n in names]
    text = (root / note).read_text() if (root / note).exists() else None
    state = "old" if text == old else "new" if text == new else "absent" if text is None else "TORN"
    junk = [n for n in names if n != "note.md"]
    shown = [n for n in junk if not n.startswith(".")]
    print(step, state, len(shown), len(junk) == inbox.clean(), killed)
"""


@pytest.mark.parametrize(("how", "before"), [("new", "absent"), ("replace", "old")])
def test_killed_at_any_step_the_note_is_as_before_or_whole(
    tmp_path: Path, how: str, before: str
) -> None:
    rows = [line.split() for line in _python(KILL_AT_EACH_STEP, str(tmp_path), how)]
    assert len(rows) > 10
    assert {row[1] for row in rows} == {before, "new"}
    assert {row[2] for row in rows} == {"0"}  # nothing that a user would see
    assert {row[3] for row in rows} == {"True"}  # and the rest is cleaned away
    assert rows[-1][1] == "new"


KEEPS_WRITING = f"""
import sys
from pathlib import Path
from vault_adapters.writer import InboxWriter
inbox = InboxWriter(Path(sys.argv[1]), "{INBOX}")
seen = inbox.write("{INBOX}/note.md", {OLD!r}, expected=None)
print("ready", flush=True)
number = 0
while True:
    number += 1
    seen = inbox.write("{INBOX}/note.md", {NEW!r}, expected=seen)
    inbox.write(f"{INBOX}/{{number}}.md", {NEW!r}, expected=None)
    seen = inbox.write("{INBOX}/note.md", {OLD!r}, expected=seen)
"""


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 3, 5, 8, 13, 21, 34, 55])
def test_killed_at_a_random_moment_every_note_is_whole(tmp_path: Path, milliseconds: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KEEPS_WRITING, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=milliseconds / 1000)
        child.kill()
    InboxWriter(tmp_path, INBOX).clean()
    for path in (tmp_path / INBOX).iterdir():
        assert path.suffix == ".md"
        assert path.read_text(encoding="utf-8") in (OLD, NEW)
