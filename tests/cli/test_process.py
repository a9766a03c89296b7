"""What only a process of its own can show: pipes, signals, limits, and systemd's socket."""

import json
import os
import resource
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from daemon.host.processes import descendants
from daemon.local_socket import REQUEST_HEADER, Exchange, listen
from daemon.store.lock import WriterLock
from tests.fakes.cli import NOTES, contents, lay_out
from tests.fakes.process import Lacuna

pytestmark = pytest.mark.e2e


@pytest.fixture
def lacuna(tmp_path: Path) -> Lacuna:
    """A small vault, and a model that cannot be had, so that nothing is loaded."""
    vault = lay_out(tmp_path / "Küche", NOTES)
    (tmp_path / "no model").mkdir()
    settings = {"embedding.model_path": str(tmp_path / "no model"), "weekly.enabled": False}
    return Lacuna(vault, tmp_path / "home", settings)


@pytest.fixture
def systemd(tmp_path: Path, lacuna: Lacuna) -> Iterator[socket.socket]:
    """The socket on which a service manager listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(lacuna.home / "notify"))
        listening.settimeout(60)
        yield listening


def start(
    lacuna: Lacuna,
    *arguments: str,
    before: Callable[[], None] | None = None,
    **environment: str,
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        lacuna.arguments(*arguments),
        env={**lacuna.environment, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,  # noqa: PLW1509 no threads here
    )


def reported(listening: socket.socket) -> str:
    return listening.recv(4096).decode()


def test_the_daemon_notifies_systemd_when_it_is_ready_and_when_it_stops(
    lacuna: Lacuna, systemd: socket.socket
) -> None:
    process = start(lacuna, "run", NOTIFY_SOCKET=str(lacuna.home / "notify"))
    shown = [reported(systemd)]
    while shown[-1] != "READY=1":
        assert shown[-1].startswith("STATUS=")
        shown.append(reported(systemd))
    process.send_signal(signal.SIGTERM)
    while shown[-1] != "STOPPING=1":
        shown.append(reported(systemd))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert err.splitlines()[-1].endswith("stopped")


def test_help_is_fast(lacuna: Lacuna) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = start(lacuna, "--help")
    process.communicate(timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert seconds < 0.6  # of the processor, whatever else it does


def test_a_closed_output_pipe_is_not_an_error(lacuna: Lacuna) -> None:
    lay_out(lacuna.vault, {f"{number}.md": "[[Sourdough]]\n" * 9 for number in range(3000)})
    with start(lacuna, "graph", "--json") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1) == "{"
        process.stdout.close()
        reported = process.stderr.read().splitlines()
        assert [line for line in reported if " reading" not in line] == []  # how far it is
    assert process.returncode in (0, 1)  # as the version of click has it


def test_without_any_standard_streams_a_command_still_does_its_work(lacuna: Lacuna) -> None:
    shell = 'exec "$@" <&- >&- 2>&-'
    arguments = ["sh", "-c", shell, "sh", *lacuna.arguments("index", "--no-embed")]
    done = subprocess.run(arguments, env=lacuna.environment, timeout=60, check=False)
    assert done.returncode == 0
    assert json.loads(lacuna.call("status", "--json").stdout)["notes"] == len(NOTES)


def test_a_full_disk_is_reported_in_one_line_and_the_next_attempt_continues(lacuna: Lacuna) -> None:
    before = contents(lacuna.vault)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    process = start(lacuna, "index", "--no-embed", before=little_room)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    (line,) = err.splitlines()
    assert line.startswith(f"lacuna: {lacuna.state}/lacuna.db: ")
    assert contents(lacuna.vault) == before
    assert lacuna.json("index", "--no-embed")["notes"] == len(NOTES)


def test_ctrl_c_stops_the_daemon_cleanly(lacuna: Lacuna) -> None:
    running = lacuna.start("run")
    try:
        running.wait_until(lambda: "watching" in running.logged(), "the daemon")
        assert running.stop(signal.SIGINT) == 0
    finally:
        running.kill()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_the_daemon_stops_although_its_parser_process_hangs(
    lacuna: Lacuna,
) -> None:
    lay_out(lacuna.vault, {"Huge.md": "# Part\n\nSee [[Sourdough]] and **this**.\n\n" * 150_000})
    daemon = lacuna.start("run")
    try:
        parser = daemon.wait_until(lambda: _parser_below(daemon.process.pid), "a parsing process")
        os.kill(parser, signal.SIGSTOP)
        assert daemon.stop() == 0
        assert not Path(f"/proc/{parser}").exists()
    finally:
        daemon.kill()


def _parser_below(pid: int) -> int | None:
    for child in descendants(pid):
        with suppress(OSError):
            if "daemon.index.parse_worker" in Path(f"/proc/{child}/cmdline").read_text():
                return child
    return None


def test_ctrl_c_during_a_wait_for_the_daemon_leaves_the_command_running(
    lacuna: Lacuna,
) -> None:
    lacuna.json("index", "--no-embed")
    is_given, is_over = threading.Event(), threading.Event()

    def be_busy(listener: socket.socket) -> None:
        other, _ = listener.accept()
        with other:
            exchange = Exchange(other)
            exchange.request()
            exchange.begin()
            exchange.begin_lines({REQUEST_HEADER: "1"})
            is_given.set()
            is_over.wait(60)

    # A daemon that is busy: the command waits until the user has enough of it.
    lock = WriterLock(lacuna.state / "daemon.lock", holder="lacuna run")
    with lock, listen(lacuna.state) as listener:
        threading.Thread(target=be_busy, args=(listener,), daemon=True).start()
        asking = start(lacuna, "index", "--no-embed")
        assert is_given.wait(60)
        asking.send_signal(signal.SIGINT)
        _, err = asking.communicate(timeout=60)
        is_over.set()
        assert asking.returncode == 130
        assert err.splitlines()[-1] == (
            "lacuna: not waiting any longer; the daemon continues with it"
        )


def test_a_sandboxed_command_becomes_leader_before_the_inbox_exists(lacuna: Lacuna) -> None:
    (this,) = lacuna.json("lead")
    assert this["this"]
    assert this["leads"]
    (note,) = (lacuna.vault / "Inbox/Research/Machines").iterdir()
    assert f'lacuna_id: "{this["id"]}"' in note.read_text()
