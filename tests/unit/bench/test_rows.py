"""The measuring itself: that it can be started, and what it says of a process."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from bench.__main__ import NAMES
from bench.process import children, cpu_seconds, is_reported, resident_mb

needs_proc = pytest.mark.skipif(not is_reported(), reason="this system has no /proc")


@pytest.mark.parametrize("name", NAMES)
def test_whatever_can_be_named_has_rows(name: str) -> None:
    assert callable(import_module(f"bench.{name}").rows)


@needs_proc
def test_a_process_is_measured_with_time_memory_and_children() -> None:
    own = os.getpid()
    before = cpu_seconds(own)
    while cpu_seconds(own) <= before:
        sum(range(10_000))
    held = Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0]
    assert resident_mb(own) == pytest.approx(int(held) * 1024 / 1e6, rel=0.2)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert child.pid in children(own)
    assert child.pid not in children(own)
