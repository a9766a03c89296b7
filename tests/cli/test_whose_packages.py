"""Another distribution's `daemon` or `scheduler` is refused, in words, before it does harm."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lacuna
from daemon.child_environment import child_environment

ROOT = Path(__file__).resolve().parents[2]
THEIRS = '"""Makes a process a daemon."""\nclass DaemonContext: ...\n'


def started(*path: Path) -> subprocess.CompletedProcess[str]:
    """Run `lacuna --version` as the console script does, with folders that are looked in first."""
    return subprocess.run(
        [sys.executable, "-P", "-c", "import lacuna; lacuna.main()", "--version"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
    )


def test_with_its_own_packages_it_starts() -> None:
    assert lacuna.foreign_package() == ""
    done = started(ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("lacuna")


@pytest.mark.parametrize("name", ["daemon", "scheduler"])
def test_a_package_of_that_name_that_comes_first_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(THEIRS)
    done = started(tmp_path, ROOT)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"lacuna: the package {name} in {tmp_path / name} belongs to another" in done.stderr
    assert "pipx install lacuna-daemon" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_package_that_was_written_over_is_refused(tmp_path: Path) -> None:
    shutil.copy(ROOT / "lacuna.py", tmp_path)
    for name in lacuna.PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name)
    assert started(tmp_path).returncode == 0
    (tmp_path / "daemon" / "__init__.py").write_text(THEIRS)
    done = started(tmp_path)
    assert done.returncode == 1
    assert f"the package daemon in {tmp_path / 'daemon'} belongs to another" in done.stderr


def test_a_child_process_has_the_packages_of_its_parent(tmp_path: Path) -> None:
    (tmp_path / "daemon").mkdir()
    (tmp_path / "daemon" / "__init__.py").write_text(THEIRS)
    done = subprocess.run(
        [sys.executable, "-P", "-c", "import daemon; print(daemon.DISTRIBUTION)"],
        capture_output=True,
        text=True,
        check=True,
        env=child_environment({**os.environ, "PYTHONPATH": str(tmp_path)}),
    )
    assert done.stdout == "lacuna-daemon\n"
