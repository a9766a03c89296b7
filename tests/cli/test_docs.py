"""The pages about commands and settings say what the program does, and all of it."""

import importlib.util
import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args

import click
import pytest

import daemon.usecases
from daemon.adapters.sources import Entry, load_registry
from daemon.adapters.sources.entry import TYPES, Rate, Results, SourceBudget
from daemon.cli import cli
from daemon.config import KEYS, SECTIONS, VAULTS, Settings, check_settings, unknown_variables
from daemon.config.own_schedules import Schedule
from daemon.faces.web.openapi import description
from daemon.model.evidence import SourceType
from daemon.model.hook_event import HookEvent
from daemon.usecases.command import Command
from daemon.usecases.commands import COMMANDS
from daemon.usecases.queries import QUERIES
from daemon.usecases.query import Query

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GUIDES = (ROOT / "README.md", DOCS / "guide.md")
IN_CODE = re.compile(r"`(lacuna [^`]+)`|^ {4,}(lacuna .+)$|^ {4,}\$ (lacuna .+)$", re.MULTILINE)
VARIABLE = re.compile(r"\bLACUNA_[A-Z_]+\b")


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def every(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from every(found, f"{path} {name}")


def section(page: str, title: str) -> str:
    return page.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_the_generated_pages_are_up_to_date() -> None:
    for name, text in generator().pages().items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"{name}: run `make docs`"


def test_there_is_a_man_page_for_every_command_and_a_completion_for_every_shell() -> None:
    files, share = generator().shared(), ROOT / "share"
    for name, text in files.items():
        assert (share / name).read_text(encoding="utf-8") == text, f"{name}: run `make docs`"
    kept = {path.relative_to(share).as_posix() for path in share.rglob("*") if path.is_file()}
    assert kept == files.keys()
    names = {f"man/man1/{path.replace(' ', '-')}.1" for path, _ in every(cli, "lacuna")}
    assert names <= files.keys()


def test_the_json_document_of_every_command_is_documented() -> None:
    generator()
    page = importlib.import_module("json_page")
    prints = {
        path.removeprefix("lacuna ")
        for path, command in every(cli, "lacuna")
        if path != "lacuna"
        and (not isinstance(command, click.Group) or command.invoke_without_command)
    }
    documented = {name.split(" --")[0] for name in page.DOCUMENTS}
    assert documented == prints - page.WITHOUT


def test_every_command_and_every_option_is_documented() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    introduction, everywhere = page.split("\n## ", 1)[0], generator().EVERYWHERE
    for path, command in every(cli, "lacuna"):
        documented = section(page, path)
        for parameter in command.params:
            text = introduction if parameter.name in everywhere else documented
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                assert option in text, f"{path} {option}"


def test_every_command_has_a_help_line() -> None:
    for path, command in every(cli, "lacuna"):
        assert command.help, path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, (path, parameter.name)


def rows_of(part: str) -> dict[str, str]:
    """Every row of the tables in a page, by what stands in its first cell."""
    return {line.split("`")[1]: line for line in part.splitlines() if line.startswith("| `")}


def test_every_setting_is_documented_with_its_default() -> None:
    page = (DOCS / "settings.md").read_text(encoding="utf-8")
    plain = rows_of(page.split("\n## ")[0])
    assert set(plain) | set(SECTIONS) == set(Settings.model_fields)
    for name, table in SECTIONS.items():
        assert set(rows_of(section(page, f"[{name}]"))) == set(table.model_fields), name
    assert all(info.description for info in KEYS.values())
    assert "`5`" in rows_of(section(page, "[research]"))["max_findings"]


def test_every_settings_table_is_documented() -> None:
    page = (DOCS / "settings.md").read_text(encoding="utf-8")
    assert set(rows_of(section(page, "Schedules"))) == set(Schedule.model_fields)
    assert set(rows_of(section(page, "Hooks"))) == set(HookEvent)
    tables = {key for key, info in Settings.model_fields.items() if "dict[" in str(info.annotation)}
    for table in {*tables, VAULTS}:
        assert re.search(rf"^ {{4}}\[{table}(\.\w+)?\]$", page, re.MULTILINE), table


def test_every_source_source_type_and_source_key_is_documented() -> None:
    page = (DOCS / "sources.md").read_text(encoding="utf-8")
    types = get_args(Entry.model_fields["type"].annotation)
    assert set(rows_of(section(page, "Types"))) == set(types) == set(TYPES)
    assert set(rows_of(section(page, "Keys of an entry"))) == set(Entry.model_fields)
    assert all(info.description for info in Entry.model_fields.values())
    assert set(rows_of(section(page, "Built-in sources"))) == set(load_registry())
    for kind in SourceType:
        assert f"`{kind}`" in rows_of(section(page, "Keys of an entry"))["source_type"]
    for name in (*Rate.model_fields, *Results.model_fields, *SourceBudget.model_fields):
        assert f"`{name}`" in page, name


def test_every_exit_code_is_documented() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| (\d+) \|", page, re.MULTILINE)) == {"0", "1", "2", "130"}


def test_every_command_in_the_guides_exists() -> None:
    lines = [line for guide in GUIDES for line in _commands_in(guide)]
    assert len(lines) > 30
    for line in lines:
        _parse(line)


def test_an_unknown_command_in_a_guide_is_detected() -> None:
    with pytest.raises(click.UsageError):
        _parse("lacuna findings bogus")
    with pytest.raises(click.UsageError):
        _parse("lacuna health --bogus")


def test_every_environment_variable_in_the_guides_is_read() -> None:
    pages = (*GUIDES, DOCS / "settings.md", DOCS / "commands.md")
    named = {name for page in pages for name in VARIABLE.findall(page.read_text(encoding="utf-8"))}
    named.discard("LACUNA_")
    assert "LACUNA_VAULT" in named
    assert unknown_variables(dict.fromkeys(named, "x")) == []


def test_every_setting_in_the_guides_exists(tmp_path: Path) -> None:
    guide = (DOCS / "guide.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^ {4}(?:\[[a-z_.]+\]|[a-z_.]+ = .*)?\n|^\n)+", guide, re.MULTILINE)
    examples = [block for block in blocks if " = " in block and "base." not in block]
    assert len(examples) >= 6
    for example in examples:
        check_settings(example, tmp_path / "config.toml")
    named = set(re.findall(r"`([a-z_]+\.[a-z_]+)(?: = [^`]+)?`", guide))
    spans = {f"research.{each}" for each in ("run", "task", "gather", "synthesis")}
    sections = {name for name in named if name.partition(".")[0] in SECTIONS}
    assert sections <= {*KEYS, *spans, "secrets.enc"}


def test_every_link_in_the_guides_resolves() -> None:
    for guide in GUIDES:
        for target in re.findall(r"\]\(([^)#]+)\)", guide.read_text(encoding="utf-8")):
            assert "://" in target or (guide.parent / target).exists(), (guide, target)


def _commands_in(guide: Path) -> Iterator[str]:
    for found in IN_CODE.finditer(guide.read_text(encoding="utf-8")):
        yield next(filter(None, found.groups()))


def _parse(line: str) -> None:
    """Parse a command as the program would, without running it; two spaces begin a remark."""
    words = shlex.split(re.split(r"\s{2,}|\s[#>|]", line)[0])
    command: click.Command = cli
    context: click.Context | None = None
    arguments = words[1:]
    while True:
        context = command.make_context(command.name or "lacuna", list(arguments), parent=context)
        rest = [*context._protected_args, *context.args]
        if not isinstance(command, click.Group) or not rest:
            return
        _, found, arguments = command.resolve_command(context, rest)
        assert found is not None
        command = found


def test_every_command_has_an_address_or_a_reason_why_it_has_none() -> None:
    page = (DOCS / "web.md").read_text(encoding="utf-8")
    listed = section_of(page, "What each command is here")
    rows = [row.strip("|").split("|", 1) for row in listed.splitlines() if row.startswith("| `")]
    named = [name for commands, _ in rows for name in re.findall(r"`([^`]+)`", commands)]
    runnable = {
        path.removeprefix("lacuna ")
        for path, command in every(cli, "lacuna")
        if path != "lacuna"
        and (not isinstance(command, click.Group) or command.invoke_without_command)
    }
    assert sorted(named) == sorted(runnable)
    assert all("`GET /api" in why or "`POST /api" in why or len(why.split()) > 5 for _, why in rows)


def test_every_use_case_is_at_an_address_of_the_list() -> None:
    page = (DOCS / "web.md").read_text(encoding="utf-8")
    listed = section_of(page, "What each command is here").split("only on the command line")[0]
    addresses = set(re.findall(r"`(GET|POST) (/api/[^`]+)`", listed))
    described = {
        (method.upper(), path)
        for path, methods in description()["paths"].items()
        for method in methods
        if not path.endswith("/events") and method != "delete"
    }
    assert addresses == described
    offered = {*QUERIES, *COMMANDS}
    made = {
        each.name
        for module in pkgutil.iter_modules(daemon.usecases.__path__, "daemon.usecases.")
        for each in vars(importlib.import_module(module.name)).values()
        if isinstance(each, Query | Command)
    }
    assert made == offered


def section_of(page: str, title: str) -> str:
    """Return a part of a page, from its heading of the third order on."""
    return page.split(f"\n### {title}\n", 1)[1].split("\n## ", 1)[0]
