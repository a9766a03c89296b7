"""A face holds an open vault only to pass it to use cases."""

import ast
from collections.abc import Iterator
from pathlib import Path

DAEMON = Path(__file__).resolve().parents[2] / "daemon"
OPENED = {"app", "vault", "_app", "_vault"}  # what faces call an open vault


def test_a_face_reads_nothing_from_an_open_vault() -> None:
    files = sorted(path for face in ("cli", "faces") for path in (DAEMON / face).rglob("*.py"))
    assert files
    assert [found for file in files for found in _reads(file)] == []


def _reads(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and _name(node.value) in OPENED:
            yield f"{file.name}:{node.lineno}: {ast.unparse(node)}"


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
