"""Memory as the system tells it: this process, its children, and their children."""

import subprocess
import sys
from shutil import which

import pytest

from daemon.host import processes
from daemon.host.processes import memory_held

SCRIPT = (
    "import subprocess, sys\n"
    "kept = b'x' * 30_000_000\n"
    "inner = 'print(1, flush=True); input()'\n"
    "child = subprocess.Popen([sys.executable, '-c', inner], stdout=subprocess.PIPE)\n"
    "child.stdout.readline()\n"
    "print('ready', flush=True)\n"
    "input()\n"
)


@pytest.mark.parametrize("by_ps", [False, True])
def test_a_process_is_measured_with_all_that_descend_from_it(
    monkeypatch: pytest.MonkeyPatch, by_ps: bool
) -> None:
    if by_ps:
        if which("ps") is None:
            pytest.skip("there is no ps here")
        monkeypatch.setattr(processes, "_processes", processes._from_ps)
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        held = memory_held(process.pid)
        ours = memory_held()
        process.communicate("\n")
    assert held is not None
    assert held.own > 30_000_000
    assert held.children_count == 1
    assert held.children > 1_000_000
    assert ours is not None
    assert ours.children >= held.own
    assert ours.children_count >= 2


def test_what_is_not_there_holds_nothing() -> None:
    assert memory_held(2**22 + 1) is None
