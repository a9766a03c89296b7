"""The process that opens notes with the system's program: `open_notes.py VAULT`.

Each line of stdin is the vault-relative path of a note as JSON; so is each answer: why it was not
opened, or "". Only notes of the vault are opened. It is a program of its own, without this package:
an editor that it starts must be able to save, and a confined process passes its restrictions on.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

_SECONDS = 5.0  # after which a program that still runs is the editor itself


def main(vault: Path) -> None:
    """Open each note that stdin names, to its end."""
    for line in sys.stdin:
        sys.stdout.write(f"{json.dumps(opened(vault, json.loads(line)))}\n")
        sys.stdout.flush()


def opened(vault: Path, path: str) -> str:
    """Open a note; return why it was not opened, or ""."""
    file = (vault / path).resolve()
    if not file.is_relative_to(vault.resolve()) or file.suffix != ".md" or not file.is_file():
        return "this is no note of the vault"
    name = "open" if sys.platform == "darwin" else "xdg-open"
    program = shutil.which(name)
    if program is None:
        return f"{name} is not installed"
    process = subprocess.Popen(
        [program, str(file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # it stays open when this process ends
    )
    try:
        code = process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    return f"{name} ended with exit code {code}: no program may be set for Markdown" if code else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
