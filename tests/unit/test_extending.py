"""The instructions of docs/architecture.md, followed on a copy of the code that is then used.

A test writes and changes the files that the page lists for it, and no others.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.fakes.extensions import EDITS, PROGRAM
from tests.fakes.http_server import Reply, serving

ROOT = Path(__file__).resolve().parents[2]
NO_KEYRING = "keyring.backends.null.Keyring"


def steps(instruction: str) -> list[str]:
    """Return the files of an instruction, as the page has them."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    part = page.split(f"\n**{instruction}**", 1)[1].split("\n**", 1)[0].split("\n|", 1)[0]
    return re.findall(r"^\d+\. `([^`]+)`", part, re.MULTILINE)


def instructions() -> list[str]:
    """Return the names of all instructions."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return re.findall(r"^\*\*([^*]+)\*\*", page.split("## How to extend")[1], re.MULTILINE)


def files(instruction: str) -> list[str]:
    """Return the files of an instruction, with the names that are chosen here."""
    name = {"An interface": "lines", "A setting": "research"}.get(instruction, "garden")
    return [re.sub("NAME|NOUN", name, step) for step in steps(instruction)]


def follow(instruction: str, copy: Path, origin: str) -> None:
    """Write and change the files of an instruction in a copy of the code."""
    edits = EDITS[instruction]
    assert list(edits) == files(instruction)
    for place, edit in edits.items():
        file = copy / place
        if isinstance(edit, str):
            assert not file.exists(), place
            file.write_text(edit.replace("ORIGIN", origin).replace("COPY", str(copy)))
            continue
        text = file.read_text()
        for before, line in edit:
            assert before in text, (place, before)
            text = text.replace(before, before + line, 1) if before else text + line
        file.write_text(text.replace("ORIGIN", origin))


def used(copy: Path) -> dict[str, Any]:
    """Follow all instructions in a copy; return what the program that uses everything prints."""
    for package in ("daemon", "scheduler", "vault_adapters"):
        shutil.copytree(ROOT / package, copy / package)
    (copy / "vault").mkdir()
    (copy / "vault" / "garden.book").write_text("")
    (copy / "vault" / "Bees.md").write_text("# Bees\n\nBees dance in the hive.\n")
    with serving() as server:
        server.routes["/json"] = Reply(
            b'{"items": [{"title": "Tides", "link": "/tides"}]}', content_type="application/json"
        )
        server.routes["/lines"] = Reply(b"Ebb\nFlood\n", content_type="text/plain")
        server.routes["/ask"] = Reply(b'{"ready": true}')
        answer = {"message": {"content": '{"ready": true}'}, "done": True}
        server.routes["/pond/api/chat"] = Reply(json.dumps(answer).encode())
        for instruction in instructions():
            follow(instruction, copy, server.origin)
        environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHON_KEYRING_BACKEND": NO_KEYRING}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            input="beds\n",
        )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_no_instruction_needs_more_than_three_files() -> None:
    assert {name: steps(name) for name in instructions() if not 1 <= len(steps(name)) <= 3} == {}


USED = {
    "A service that answers with JSON": ["Tides"],
    "A source": ["Ebb", "Flood"],
    "A vault adapter": ["garden", ["Bees.md", "garden.book"]],
    "A use case that only reads": {"notes": 2},
    "A use case that changes something": {"planted": 5},
    "A command of the command line": {"notes": 2},
    "An interface": {"notes": 2},
    "A model provider with a known API": True,
    "A model provider with an API of its own": True,
    "A setting": 5,
    "A section of settings": [7, "Number of beds."],
}


def test_each_instruction_is_followed_and_what_it_adds_works(tmp_path: Path) -> None:
    assert sorted(USED) == sorted(instructions())
    assert used(tmp_path) == USED
