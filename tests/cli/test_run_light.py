"""What the daemon holds before it has done anything."""

import subprocess
import sys

import pytest


def told_by(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.splitlines()[-1]


def test_the_daemon_begins_without_what_only_some_of_its_work_needs() -> None:
    heavy = {
        *("faiss", "lxml", "networkx", "pypdfium2", "scipy", "torch", "trafilatura"),
        *("httpcore", "httpx", "mcp", "protego", "rich", "tenacity", "tld", "tqdm"),
        *("daemon.analysis.gaps", "daemon.analysis.health", "vault_adapters.logseq"),
    }
    script = f"import sys, daemon.cli.serve\nprint('loaded:', sorted({heavy} & sys.modules.keys()))"
    assert told_by(script) == "loaded: []"


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_no_thread_runs_before_the_process_confines_itself() -> None:
    """A thread that runs already would stay as free as it was."""
    script = (
        "import os, daemon.cli.run, daemon.findings.inbox\n"
        "print('threads:', len(os.listdir('/proc/self/task')))"
    )
    assert told_by(script) == "threads: 1"
