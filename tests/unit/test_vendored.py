"""The files of npm packages are those that `locks/vendored.toml` lists."""

import tomllib
from hashlib import sha256
from pathlib import Path

from locks.vendored import FOLDER, LISTED

LICENCES = {"MIT", "BSD-0-Clause", "BSD-3-Clause", "ISC"}


def test_every_vendored_file_is_listed_with_its_hash_and_its_licence() -> None:
    listed = tomllib.loads(LISTED.read_text())
    files = {
        name: digest for each in listed.values() for name, (_, digest) in each["files"].items()
    }
    assert {each.name: _hash(each) for each in FOLDER.iterdir()} == files
    assert {each["licence"] for each in listed.values()} <= LICENCES
    assert {f"{name}.LICENSE.txt" for name in listed} <= files.keys()


def _hash(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()
