"""Check the English of the documents, and the words of the code: part of `make lint`.

proselint has general rules of usage; `docs/words.toml` lists the words that this project does not
use. Markdown is parsed first: code, links and HTML are not prose. In code, docstrings, comments,
help texts, messages and the words of names are checked against the list.
"""

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, Padding
from proselint.registry.checks.types import PreferredForms
from proselint.tools import LintFile

ROOT = Path(__file__).resolve().parents[1]
WORDS = ROOT / "docs" / "words.toml"
NO_PROSE = frozenset({"licences.md"})
# Not for technical documents: typographic quotation marks, accents, `TODO` in an example, dates.
OFF = ("annotations", "dates_times", "typography")
RELEASED = re.compile(r"^## \[?\d", re.MULTILINE)  # what follows in a changelog is history
NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|<[^>\n]*>|\S*://\S*")
FIGURES = re.compile(r"\d[\d.,]*")
CODE = ("bench", "daemon", "scheduler", "vault_adapters")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of a name in snake or camel case


def main() -> int:
    paths = pages()
    lines = [line for path in paths for line in check(path)]
    modules = sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py"))
    lines += [line for path in modules for line in check_code(path)]
    checked = f"{len(paths)} documents and {len(modules)} modules checked\n"
    sys.stdout.write("".join(f"{line}\n" for line in lines) or checked)
    return 1 if lines else 0


def pages() -> list[Path]:
    """Return the documents to check, also those written by docs/generate.py."""
    found = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    return sorted(path for path in found if path.name not in NO_PROSE)


def check(path: Path) -> Iterator[str]:
    """Yield a line for each problem in a document: path, line number, what to write."""
    for line, problem in problems(path.read_text(encoding="utf-8")):
        yield f"{path.relative_to(ROOT)}:{line}: {problem}"


def check_code(path: Path) -> Iterator[str]:
    """Yield a line for each listed word in a docstring, help text or message of a module."""
    for line, problem in code_problems(path.read_text(encoding="utf-8")):
        yield f"{path.relative_to(ROOT)}:{line}: {problem}"


def code_problems(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the message for each listed word in a text or a name of Python source."""
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = set(map(_docstring, nodes)) - {None}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield from _in_text(node.lineno, node.value, is_prose=node in docstrings)
        for line, name in _names(node):
            if any(map(_listed("instead_in_names").fullmatch, PART.findall(name))):
                yield line, f"the name “{name}” has a word of docs/words.toml"
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from _in_text(token.start[0], token.string, is_prose=True)


def _docstring(node: ast.AST) -> ast.Constant | None:
    match node:
        case (
            ast.Module(body=body)
            | ast.ClassDef(body=body)
            | ast.FunctionDef(body=body)
            | ast.AsyncFunctionDef(body=body)
        ):
            first = body[0] if body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                return first.value
    return None


def _in_text(line: int, text: str, *, is_prose: bool) -> Iterator[tuple[int, str]]:
    for table in ("instead", "instead_in_prose") if is_prose else ("instead",):
        for found in _listed(table).finditer(NOT_PROSE.sub("_", text)):
            yield line, f"“{found.group()}” is in docs/words.toml: rewrite the sentence"


def _names(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line of each name that a node defines, and the name."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.lineno, node.name
        case ast.arg():
            yield node.lineno, node.arg
        case ast.Name(ctx=ast.Store()):
            yield node.lineno, node.id
        case ast.Attribute(ctx=ast.Store()):
            yield node.lineno, node.attr


@cache
def _listed(table: str) -> re.Pattern[str]:
    words = tomllib.loads(WORDS.read_text(encoding="utf-8"))[table]
    return re.compile(r"\b(?:" + "|".join(words).replace(" ", r"\s+") + r")\b", re.IGNORECASE)


def problems(text: str) -> list[tuple[int, str]]:
    """Return the line, counted from 1, and the message for each problem in a Markdown text."""
    _register()
    checks = {
        "words": True,
        **{name: on and name not in OFF for name, on in DEFAULT["checks"].items()},
    }
    found = LintFile("document", prose(text)).lint({**DEFAULT, "checks": checks})
    return [(each.pos[0], " ".join(each.check_result.message.split())) for each in found]


def prose(text: str) -> str:
    """Return a Markdown text with its code, links and figures replaced, line by line."""
    released = RELEASED.search(text)
    lines = text[: released.start() if released else None].splitlines()
    for token in MarkdownIt("commonmark").enable("table").parse("\n".join(lines)):
        if token.map is None:
            continue
        if token.type in ("fence", "code_block", "html_block"):
            lines[slice(*token.map)] = [""] * (token.map[1] - token.map[0])
        elif token.type in ("heading_open", "list_item_open"):  # ends the sentence before it
            lines[token.map[0]] = f". {lines[token.map[0]]}"
        if token.type == "heading_open":
            lines[token.map[0]] += "."
    return NOT_PROSE.sub(_placeholder, FIGURES.sub("#", "\n".join(lines))).replace("|", ";")


def _placeholder(code: re.Match[str]) -> str:
    """Return a unique word for a piece of code, with the line breaks of the code."""
    return f"_{code.start()}" + "\n" * code.group().count("\n")


@cache
def _register() -> None:
    registry = CheckRegistry()
    registry.register_many(__register__)
    lists = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    instead = {**lists["instead"], **lists["instead_in_prose"]}
    items = {f"(?:{seen})".replace(" ", r"\s+"): write for seen, write in instead.items()}
    forms = PreferredForms(items, Padding.WORDS_IN_TEXT)
    registry.register(Check(check_type=forms, path="words", message="“{1}”: write {0}."))


if __name__ == "__main__":
    sys.exit(main())
