"""The child that reads documents, as though its parser were already lost to an attacker."""

import ctypes
import errno
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import seccompy
from seccompy.syscalls import AARCH64_SYSCALLS, X86_64_SYSCALLS

from daemon.adapters.extract import ChildExtractor
from daemon.confinement import landlock, seccomp_filter, system_calls
from daemon.confinement.child import client_command, command, libraries, offline_command

LIMITS = ("--memory=1000000000", "--idle=0")
WORKERS = ("daemon.adapters.extract_worker", "daemon.adapters.mcp_worker")
CONFINABLE = landlock.version() >= landlock.MIN_VERSION and seccompy.supported()
needs_kernel = pytest.mark.skipif(
    not CONFINABLE, reason="this kernel has no Landlock or no seccomp"
)

HARMLESS = {"start a thread", "be scheduled"}

# What a lost parser would do first. Its only way out is the pipe that it was given.
PLANTED = """
import ctypes, json, os, signal, socket, subprocess, sys, threading
from pathlib import Path

home, port = Path(os.environ["HOME"]), int(os.environ["PLANTED_PORT"])

def send():
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET /stolen HTTP/1.0\\r\\n\\r\\n")

def be_read():
    if ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) != 1:  # PR_GET_DUMPABLE
        raise PermissionError

def fork():
    if os.fork() == 0:
        os._exit(0)

def input_output(pid):
    number = 251 if os.uname().machine == "x86_64" else 30
    if ctypes.CDLL(None).syscall(number, 1, pid, 2 << 13 | 4) != 0:  # best effort, as by default
        raise PermissionError

def watch():
    if ctypes.CDLL(None).inotify_init1(0) < 0:
        raise PermissionError

attempts = {
    "read the vault": lambda: (home / "vault" / "note.md").read_text(),
    "list the vault": lambda: os.listdir(home / "vault"),
    "read an SSH key": lambda: (home / ".ssh" / "id_ed25519").read_text(),
    "read the keys of the parent": lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
    "write .bashrc": lambda: (home / ".bashrc").write_text("planted"),
    "write to /tmp": lambda: (home.parent / "dropped").write_text("planted"),
    "make a note readable": lambda: (home / "vault" / "note.md").chmod(0o777),
    "remove a note": lambda: (home / "vault" / "note.md").unlink(),
    "send HTTP": send,
    "open a datagram socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close(),
    "open a local socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "run a shell": lambda: subprocess.run(["/bin/sh", "-c", "true"], check=True),
    "fork": fork,
    "have its memory read by others": be_read,
    "signal the parent": lambda: os.kill(os.getppid(), 0),
    "watch what others open": watch,
    "slow the parent down": lambda: os.sched_setscheduler(
        os.getppid(), os.SCHED_OTHER, os.sched_param(0)
    ),
    "pin the parent": lambda: os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0)),
    "slow the parent's disk": lambda: input_output(os.getppid()),
    "be scheduled": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
}
came_of_it = {}
for name, attempt in attempts.items():
    try:
        attempt()
        came_of_it[name] = "done"
    except Exception as error:
        came_of_it[name] = type(error).__name__
thread = threading.Thread(target=came_of_it.setdefault, args=("start a thread", "done"))
thread.start()
thread.join()
print(json.dumps(came_of_it), flush=True)
"""


def came_of_it(
    call: list[str], home: Path, planted: Path, port: int, *, is_ready: bool = True
) -> dict[str, str]:
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PLANTED_PORT": str(port),
        "PYTHONPATH": os.pathsep.join([str(planted), str(Path(__file__).resolve().parents[3])]),
    }
    done = subprocess.run(call, env=environment, input=b"", capture_output=True, check=False)
    lines = done.stdout.decode().splitlines()
    if is_ready:
        assert json.loads(lines[-1])["ready"] is True, done.stderr.decode()
    found: dict[str, str] = json.loads(lines[0])
    return found


@needs_kernel
@pytest.mark.parametrize("worker", WORKERS)
def test_what_is_planted_in_the_child_reaches_nothing(
    worker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, planted = tmp_path / "home", tmp_path / "planted"
    for folder in (home / "vault", home / ".ssh", planted):
        folder.mkdir(parents=True)
    (home / "vault" / "note.md").write_text("mine")
    (home / ".ssh" / "id_ed25519").write_text("key")
    (planted / "sitecustomize.py").write_text(PLANTED)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.syspath_prepend(str(planted))
        confined = came_of_it(command(worker, *LIMITS), home, planted, port)
        assert {name for name, end in confined.items() if end == "done"} == HARMLESS
        assert not (home / ".bashrc").exists()
        free = came_of_it([sys.executable, "-P", "-m", worker, *LIMITS], home, planted, port)
    assert set(free.values()) == {"done"}  # so the attempts themselves are sound
    assert confined.keys() == free.keys()


@needs_kernel
def test_what_is_planted_in_a_child_without_a_network_reaches_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, planted = tmp_path / "home", tmp_path / "planted"
    for folder in (home / "vault", home / ".ssh", planted):
        folder.mkdir(parents=True)
    (home / "vault" / "note.md").write_text("mine")
    (home / ".ssh" / "id_ed25519").write_text("key")
    (planted / "sitecustomize.py").write_text(PLANTED)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.syspath_prepend(str(planted))
        found = came_of_it(offline_command(WORKERS[0], *LIMITS), home, planted, port)
    refused = {name for name, end in found.items() if end != "done"}
    assert refused == {
        *("send HTTP", "open a datagram socket", "open a local socket", "run a shell", "fork"),
        *("signal the parent", "make a note readable", "have its memory read by others"),
        "watch what others open",
    }


# The other children that read what others wrote: how each is started, and what it may do besides.
OTHERS = {
    "analysis": ("daemon.adapters.analysis_worker", "state", set[str]()),
    "notes": ("daemon.index.parse_worker", "vault", {"read the vault", "list the vault"}),
    "speech": ("daemon.adapters.speech.espeak_engine", "state", set[str]()),
    "language models": (
        "daemon.adapters.llm.worker",
        "port",
        {"open a datagram socket", "open a local socket"},
    ),
}


@needs_kernel
@pytest.mark.parametrize("name", OTHERS)
def test_what_is_planted_in_other_children_reaches_what_they_work_on_only(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, what, allowed = OTHERS[name]
    home, planted = tmp_path / "home", tmp_path / "planted"
    for folder in (home / "vault", home / "state", home / ".ssh", planted):
        folder.mkdir(parents=True)
    (home / "vault" / "note.md").write_text("mine")
    (home / ".ssh" / "id_ed25519").write_text("key")
    (planted / "sitecustomize.py").write_text(PLANTED)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.syspath_prepend(str(planted))
        calls = {
            "state": command(worker, writable=[home / "state"]),
            "vault": command(worker, readable=[home / "vault"]),
            "port": client_command(worker, "--idle=0", port=1),
        }
        port = server.getsockname()[1]
        found = came_of_it(calls[what], home, planted, port, is_ready=False)
    done = {attempt for attempt, end in found.items() if end == "done"}
    assert done == HARMLESS | allowed
    assert not (home / ".bashrc").exists()


@needs_kernel
@pytest.mark.parametrize("high", [0, 1 << 32])
def test_what_is_sealed_types_nothing_into_a_terminal(high: int) -> None:
    program = (
        "import ctypes\n"
        "from daemon.confinement.system_calls import deny\n"
        "assert deny() == ''\n"
        "call = ctypes.CDLL(None, use_errno=True).ioctl\n"
        f"for request in (0x5412 + {high}, 0x541C + {high}, 0x5413 + {high}):\n"
        "    call(0, ctypes.c_ulong(request), b' ' * 64)\n"
        "    print(ctypes.get_errno())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert done.stdout.split() == [*[b"%d" % errno.EPERM] * 2, b"%d" % errno.ENOTTY]


# The kernel itself sends a signal to the owner of a pipe when something arrives in it.
SIGNALS = """
import fcntl, os, struct, sys
from daemon.confinement.system_calls import deny

victim, way = int(sys.argv[1]), sys.argv[2]
reads, writes = os.pipe()
if sys.argv[3] == "sealed":
    assert deny() == ""
try:
    if way == "F_SETOWN_EX":
        fcntl.fcntl(reads, 15, struct.pack("ii", 1, victim))
    elif way == "F_SETOWN":
        fcntl.fcntl(reads, 8, victim)
except PermissionError:
    print("denied owner")
try:
    fcntl.fcntl(reads, 10, 9)
except PermissionError:
    print("denied signal")
fcntl.fcntl(reads, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
os.write(writes, b"x")
"""


@needs_kernel
@pytest.mark.parametrize("way", ["F_SETOWN", "F_SETOWN_EX"])
def test_what_is_sealed_has_the_kernel_signal_nobody(way: str) -> None:
    found = {}
    for how in ("sealed", "free"):
        with subprocess.Popen(["sleep", "60"]) as victim:
            call = [sys.executable, "-c", SIGNALS, str(victim.pid), way, how]
            said = subprocess.run(call, capture_output=True, check=True).stdout.decode()
            if how == "sealed":
                assert said.splitlines() == ["denied owner", "denied signal"]
                assert victim.poll() is None
                victim.terminate()
            found[how] = victim.wait(60)
    assert found == {"sealed": -signal.SIGTERM, "free": -signal.SIGKILL}


@needs_kernel
def test_what_is_sealed_changes_no_owner_or_attribute_by_ioctl() -> None:
    program = (
        "import ctypes\n"
        "from daemon.confinement.system_calls import deny\n"
        "assert deny() == ''\n"
        "call = ctypes.CDLL(None, use_errno=True).ioctl\n"
        "for request in (0x8901, 0x8902, 0x40086602, 0x401C5820, 0xC0045877, 0x5401):\n"
        "    call(0, ctypes.c_ulong(request), bytes(64))\n"
        "    print(ctypes.get_errno())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert done.stdout.split() == [*[b"%d" % errno.EPERM] * 5, b"%d" % errno.ENOTTY]


# An ACL that lets everybody read and write: version 2, then owner, group and others.
NEW_CALLS = """
import ctypes, errno, json, struct, sys
from daemon.confinement.system_calls import deny

path, free = sys.argv[1].encode(), sys.argv[2] == "free"
assert free or deny() == ""
call = ctypes.CDLL(None, use_errno=True).syscall
entries = ((1, 6), (4, 6), (0x20, 6))
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each, 0xFFFFFFFF) for each in entries)
kept = ctypes.create_string_buffer(acl, len(acl))
value = ctypes.create_string_buffer(struct.pack("<QII", ctypes.addressof(kept), len(acl), 0))
name, here = b"system.posix_acl_access", -100
attempts = {
    "setxattrat": (463, here, path, 0, name, value, ctypes.c_size_t(16)),
    "removexattrat": (466, here, path, 0, b"user.mine"),
    "open_tree_attr": (467, here, b"/", 0, None, ctypes.c_size_t(0)),
    "file_setattr": (469, here, path, ctypes.create_string_buffer(24), ctypes.c_size_t(24), 0),
    "a call of a later kernel": (700,),
    "chmod of x32": (0x40000000 + 90, path, 0o666),
}
came_of_it = {}
for attempt, arguments in attempts.items():
    done = call(*arguments) >= 0
    came_of_it[attempt] = "done" if done else errno.errorcode[ctypes.get_errno()]
print(json.dumps(came_of_it))
"""


def _new_calls(path: Path, how: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", NEW_CALLS, str(path), how], capture_output=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@needs_kernel
def test_calls_that_newer_kernels_add_do_not_exist_for_a_child(tmp_path: Path) -> None:
    key = tmp_path / "id_ed25519"
    key.touch(mode=0o600)
    assert set(_new_calls(key, "sealed").values()) == {"ENOSYS"}
    assert key.stat().st_mode & 0o777 == 0o600
    if _new_calls(key, "free")["setxattrat"] == "done":  # so the attempt itself is sound
        assert key.stat().st_mode & 0o777 == 0o666


@needs_kernel
def test_what_is_sealed_removes_no_memory_of_others() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    shared = library.shmget(0, 4096, 0o600)
    assert shared >= 0
    program = (
        "import ctypes, sys\n"
        "from daemon.confinement.system_calls import deny\n"
        "assert deny() == ''\n"
        "library = ctypes.CDLL(None, use_errno=True)\n"
        "print(library.shmctl(int(sys.argv[1]), 0, None), ctypes.get_errno())\n"
        "for call in (library.semctl, library.msgrcv, library.msgsnd, library.semop):\n"
        "    print(call(0, 0, 0, 0, 0), ctypes.get_errno())\n"
    )
    try:
        call = [sys.executable, "-c", program, str(shared)]
        done = subprocess.run(call, capture_output=True, check=True)
        assert done.stdout.decode().split("\n")[:-1] == [f"-1 {errno.EPERM}"] * 5
    finally:
        assert library.shmctl(shared, 0, None) == 0  # it is still there


def test_every_denied_call_is_known_on_both_architectures(monkeypatch: pytest.MonkeyPatch) -> None:
    denied = system_calls._DENIED
    assert set(denied) <= X86_64_SYSCALLS.keys()
    assert set(denied) - AARCH64_SYSCALLS.keys() == seccomp_filter._OLD & set(denied)
    monkeypatch.setattr(system_calls, "_DENIED", ("socket", "no_such_call"))
    monkeypatch.setattr(seccomp_filter._Newer, "load", lambda _: None)
    assert system_calls.deny() == "seccomp: unknown system call no_such_call"


@needs_kernel
def test_the_child_says_that_it_is_confined() -> None:
    extractor = ChildExtractor()
    try:
        assert extractor.unconfined() == ()
    finally:
        extractor.close()


def test_a_child_that_cannot_be_confined_works_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("")  # so that the folder is one of libraries
    (tmp_path / "seccompy.py").write_text(
        "class SeccompError(Exception): pass\n"
        "class UnsupportedError(Exception): pass\n"
        "class Filter: pass\n"
        "Action = CmpOp = bpf = syscall_nr = None\n"
        "def supported(): return False\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    extractor = ChildExtractor()
    try:
        assert "this kernel has no seccomp" in extractor.unconfined()
        assert extractor.extract(b"words", content_type="text/plain", url="").text == "words"
    finally:
        extractor.close()


def test_no_library_folder_holds_the_home_or_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    inside = home / ".local" / "lib" / "python3" / "site-packages"
    inside.mkdir(parents=True)
    checkout = Path(__file__).resolve().parents[3]
    found = libraries(["/", str(tmp_path), str(home), str(inside), str(checkout)])
    assert inside in found
    assert not {Path("/"), tmp_path, home, checkout} & {*found}
    assert checkout / "daemon" in found


def test_where_the_package_is_installed_its_neighbours_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site-packages"
    monkeypatch.setattr("daemon.confinement.child._PACKAGE_ROOT", installed)
    assert installed in libraries([str(installed)])
