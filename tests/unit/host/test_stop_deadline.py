"""The last resort of a stop, in a process of its own."""

import os
import select
import signal
import subprocess
import sys

from tests.fakes.process import ROOT

BUSY = """
import signal, sqlite3, subprocess, sys
from daemon.host.stop_deadline import enforce_stop_deadline
enforce_stop_deadline(0.05)
for each in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, lambda *_: None)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
sqlite = sqlite3.connect(":memory:")
first, endless = "SELECT begun()", "SELECT 1 FROM n"
sqlite.create_function("begun", 0, lambda: print(child.pid, flush=True))
sqlite.execute(f"WITH RECURSIVE n(i) AS ({first} UNION ALL {endless}) SELECT count(*) FROM n")
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
        child = os.pidfd_open(int(process.stdout.readline()))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        _, complaint = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "the next start resumes it" in complaint
    has_ended, _, _ = select.select([child], [], [], 60)
    os.close(child)
    assert has_ended
