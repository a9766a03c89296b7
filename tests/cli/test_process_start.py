"""The time limit of a search counts from the start of its process."""

import subprocess
import sys
import time
from pathlib import Path

from daemon.cli.process_start import process_start

_TICK = 0.02  # seconds: the system counts in ticks
_CODE = """
import time
first = time.monotonic()
from daemon.cli.process_start import process_start
print(first, process_start())
"""


def test_a_process_starts_before_its_first_line_and_after_it_was_requested() -> None:
    requested = time.monotonic()
    done = subprocess.run([sys.executable, "-c", _CODE], capture_output=True, check=True, text=True)
    first, start = map(float, done.stdout.split())
    assert requested - _TICK <= start <= first + _TICK


def test_a_process_that_has_run_for_long_counts_from_now(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("1 (a b) S " + " ".join(["0"] * 30))  # since the system started
    before = time.monotonic()
    assert process_start(stat) >= before
    assert process_start(tmp_path / "missing") >= before
