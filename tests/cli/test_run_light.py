"""What the daemon holds before it has done anything."""

import subprocess
import sys


def test_the_daemon_begins_without_what_only_some_of_its_work_needs() -> None:
    heavy = "{'faiss', 'lxml', 'networkx', 'pypdfium2', 'scipy', 'torch', 'trafilatura'}"
    script = (
        f"import sys\nimport daemon.cli.run\nprint('loaded:', sorted({heavy} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded: []"
