"""Check the English of the documents, and the words of the code: part of `make lint`.

proselint has general rules of usage; `docs/words.toml` lists the words that this project does not
use. Markdown is parsed first: code, links and HTML are not prose. In code, docstrings, help texts
and messages are checked against the word list.
"""

import ast
import re
import sys
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
CODE = ("daemon", "scheduler", "vault_adapters")


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
    """Yield the line of a text in Python source, and the message, for each listed word in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            for found in _listed().finditer(NOT_PROSE.sub("_", node.value)):
                yield node.lineno, f"“{found.group()}” is in docs/words.toml: rewrite the sentence"


@cache
def _listed() -> re.Pattern[str]:
    words = tomllib.loads(WORDS.read_text(encoding="utf-8"))["instead"]
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
    instead = {**lists["instead"], **lists["instead_in_documents"]}
    items = {f"(?:{seen})".replace(" ", r"\s+"): write for seen, write in instead.items()}
    forms = PreferredForms(items, Padding.WORDS_IN_TEXT)
    registry.register(Check(check_type=forms, path="words", message="“{1}”: write {0}."))


if __name__ == "__main__":
    sys.exit(main())
