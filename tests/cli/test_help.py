"""The list of commands, the help of each, and how soon they are there."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from daemon.cli import cli
from tests.fakes.cli import Cli

IN_DESIGN = (
    "init", "run", "status", "index", "health", "graph", "search", "eval", "agenda", "research",
    "findings", "sources", "secrets", "replay", "service", "doctor", "demo",
)  # fmt: skip
COLUMNS = 80


def test_the_commands_are_listed_in_the_order_in_which_they_are_needed(lacuna: Cli) -> None:
    done = lacuna("--help")
    _, _, listed = done.out.partition("Commands:\n")
    names = [line.split()[0] for line in listed.splitlines()]
    assert [name for name in names if name in IN_DESIGN] == list(IN_DESIGN)
    assert all(line.endswith(".") and len(line) <= COLUMNS for line in listed.splitlines())


def test_help_does_not_import_what_the_commands_need() -> None:
    heavy = "{'numpy', 'pydantic', 'httpx', 'networkx', 'faiss', 'torch'}"
    script = (
        "import sys; sys.argv = ['lacuna', '--help']\n"
        "import daemon.cli\n"
        "daemon.cli.main()\n"
        f"print('loaded:', {heavy} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded: set()"


@pytest.mark.parametrize("name", IN_DESIGN)
def test_every_command_explains_itself_and_takes_the_common_options(lacuna: Cli, name: str) -> None:
    done = lacuna(name, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: lacuna {name}")
    for option in ("--vault", "--config", "--state", "--json"):
        assert option in done.out


def test_every_command_can_be_loaded_by_the_name_it_is_listed_by() -> None:
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    assert all(command and command.name == name for name, command in commands.items())


def test_a_command_that_was_looked_up_out_of_place_keeps_the_example_of_its_place() -> None:
    def example_of(program: str | None) -> str:
        schedule = cli.get_command(click.Context(cli, info_name=program), "schedule")
        assert isinstance(schedule, click.Group)
        within = click.Context(schedule, click.Context(cli, info_name=program), "schedule")
        command = schedule.get_command(within, "run")
        assert command is not None
        assert command.help is not None
        return command.help.rpartition("Example: ")[2]

    assert example_of(None) == "lacuna run --config ~/lacuna.toml"  # by a path without the program
    assert example_of("lacuna") == "lacuna schedule run weekly"


def test_no_arguments_print_help_and_exit_as_wrong_usage(lacuna: Cli) -> None:
    done = lacuna()
    assert done.code == 2
    assert "Commands:" in done.err


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["fndings"], "no such command fndings: did you mean findings? see `lacuna --help`"),
        (["findings", "lst"], "no such command lst: did you mean list? see `lacuna findings"),
        (["agenda", "xyz"], "no such command xyz: there are new, show, approve, cancel;"),
        (["search"], "give something to search for, or --like NOTE; see `lacuna search --help`"),
        (["search", "  "], "give something to search for, or --like NOTE; see"),
        (["search", "--limit", "0", "x"], "invalid value for '--limit'"),
        (["index", "--jsn"], "no such option '--jsn'. Did you mean '--json'? see"),
        (["init"], "give the folder with your notes: `lacuna init VAULT`"),
        (["research", "--note", "a", "b"], "give topics or --note, not both"),
        (["research", "--depth", "deeep"], "invalid value for '--depth': 'deeep' is not one of"),
        (["findings", "accept"], "missing argument 'IDS...'"),
    ],
)
def test_wrong_usage_is_reported_in_one_line_with_the_correct_usage(
    ready: Cli, arguments: list[str], reported: str
) -> None:
    done = ready(*arguments)
    assert done.code == 2
    assert done.one_line.startswith(reported)
    assert done.one_line.endswith("--help`")


def test_the_version_is_the_installed_one(lacuna: Cli) -> None:
    assert lacuna("--version").out.startswith("lacuna, version ")


@pytest.mark.parametrize(
    "words",
    [
        *(["ask"], ["ingest"], ["search"], ["threads"]),
        *(["threads", each] for each in ("list", "show", "export", "delete")),
    ],
)
def test_commands_that_ask_and_ingest_show_an_example(lacuna: Cli, words: list[str]) -> None:
    assert "Example: lacuna " in lacuna(*words, "--help").out


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("lacuna rep", ["report", "replay"]),
        ("lacuna research --depth d", ["deep"]),
        ("lacuna nope x", []),
    ],
)
def test_a_shell_completes_commands_and_values(typed: str, completed: list[str]) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = subprocess.run(
        [sys.executable, "-c", "from lacuna import main; main()"],
        env={**os.environ, **words, "_LACUNA_COMPLETE": "bash_complete"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert [line.partition(",")[2] for line in done.stdout.split()] == completed
    assert done.stderr == ""


def commands(group: click.Group, context: click.Context) -> Iterator[click.Context]:
    """Yield the context of each command that is no group."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        below = click.Context(command, context, name)
        if isinstance(command, click.Group):
            yield from commands(command, below)
        else:
            yield below


def test_the_help_of_every_command_has_an_example_that_it_takes() -> None:
    found = list(commands(cli, click.Context(cli, info_name="lacuna")))
    assert len(found) > 50
    for context in found:
        _, _, example = context.get_help().partition("Example: ")
        words = shlex.split(example.partition("\n\n")[0])
        path = context.command_path.split()
        assert words[: len(path)] == path, context.command_path
        parser = context.command.make_parser(context)
        parser.parse_args(words[len(path) :])  # an unknown option raises


def test_a_vault_without_a_hub_loads_nothing_of_it(tmp_path: Path) -> None:
    extra = (
        "{'alembic', 'authlib', 'joserfc', 'pgvector', 'procrastinate', 'psycopg', 'sqlalchemy'}"
    )
    script = (
        f"import sys; sys.argv = ['lacuna', 'agenda', '--vault', {str(tmp_path)!r}]\n"
        "import daemon.cli, daemon.composition, daemon.host.loop\n"
        "daemon.cli.main()\n"
        f"print('loaded:', {extra} & sys.modules.keys())"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "Nothing is planned" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded: set()"
