"""The last resort of a stop, in a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.fakes.process import ROOT

BUSY = """
import signal, sqlite3, subprocess, sys
from daemon.host.stop_deadline import enforce_stop_deadline
enforce_stop_deadline(0.05)
signal.signal(signal.SIGTERM, lambda *_: print("handled", flush=True))
signal.signal(signal.SIGHUP, lambda *_: print("reloads", flush=True))
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
sqlite = sqlite3.connect(":memory:")
endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n"
sqlite.create_function("begun", 0, lambda: print(child.pid, flush=True))
sqlite.execute("SELECT begun()").fetchall()
sqlite.execute(endless).fetchall()
"""


def test_a_process_in_a_statement_that_never_ends_ends_with_its_children() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BUSY],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        said, complaint = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")  # no handler had its turn
    assert "the next start resumes it" in complaint
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()
