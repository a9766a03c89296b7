"""What is installed is what was locked: every version with the hashes of its files."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.fakes.process import ROOT

LOCKS = ("base", "torch", "torch-cpu", "cuda")


def entries(lock: str) -> dict[str, tuple[str, int]]:
    """Name → version and number of hashes."""
    text = (ROOT / "locks" / f"{lock}.txt").read_text()
    found: dict[str, tuple[str, int]] = {}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        name, version = entry.split(" ", 1)[0].split("==")
        found[canonicalize_name(name)] = (version, entry.count("--hash=sha256:"))
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes(lock: str) -> None:
    assert all(number > 0 for _, number in entries(lock).values())


def test_locks_and_constraints_say_the_same_versions() -> None:
    locked = {**entries("base"), **entries("torch")}
    lines = (ROOT / "constraints.txt").read_text().split()
    pinned = {canonicalize_name(name): version for name, version in (x.split("==") for x in lines)}
    versions = {name: version for name, (version, _) in locked.items()}
    both = pinned.keys() & versions.keys()
    assert len(both) > 100
    assert {name: pinned[name] for name in both} == {name: versions[name] for name in both}


def test_all_that_the_project_asks_for_is_locked() -> None:
    """After a change of pyproject.toml or constraints.txt, run `make locks`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    # Lint imports every module. `torch` is a part of `offline`; `multilingual` is another model;
    # the others use libraries under the GPL.
    others = {"torch", "multilingual", "kokoro", "piper"}
    asked = [each for name in extras.keys() - others for each in extras[name]]
    wanted = [*project["dependencies"], *asked]
    names = {canonicalize_name(Requirement(each).name) for each in wanted}
    assert names - entries("base").keys() - entries("torch").keys() == set()


def test_the_wheel_of_torch_without_cuda_is_locked_too() -> None:
    version, _ = entries("torch")["torch"]
    assert entries("torch-cpu") == {"torch": (f"{version}+cpu", 1)}
