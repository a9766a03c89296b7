"""The command line: one module per group of commands."""

import sys
from contextlib import redirect_stderr
from io import StringIO
from types import TracebackType
from typing import ClassVar

import click

from daemon.cli import own_process
from daemon.cli.early_warning import warn_of_stopped_daemon, was_shown
from daemon.cli.group import LazyGroup
from daemon.cli.options import Options, common
from daemon.model.errors import CorruptStoreError, LacunaError, StoppedError
from daemon.model.known_keys import mask

_NO_MEMORY = (
    "not enough memory: the system, or a limit such as `ulimit -v`, gives this process no more."
    " Raise the limit or close other programs"
)
# Messages of libraries and threads when memory runs out.
_SIGNS_OF_NO_MEMORY = (
    "failed to map segment",
    "cannot allocate memory",
    "can't start new thread",
    "error return without exception set",  # of a library that found none
)


class _Commands(LazyGroup):
    places: ClassVar = {
        "init": ("daemon.cli.setup", "Set up a vault."),
        "run": ("daemon.cli.run", "Run the daemon in the foreground."),
        "status": ("daemon.cli.status", "Show the daemon, the queue, and the next runs."),
        "index": ("daemon.cli.index", "Update the index."),
        "health": ("daemon.cli.vault", "Show orphans, clusters, and gaps worth researching."),
        "graph": ("daemon.cli.vault", "Print the link graph."),
        "search": ("daemon.cli.search", "Search notes by words and by meaning."),
        "ask": ("daemon.cli.ask", "Answer a question from notes and library, with citations."),
        "eval": (
            "daemon.cli.evaluate",
            "Hide some links and measure how many of them search finds.",
        ),
        "agenda": ("daemon.cli.agenda", "Show planned research; create, approve or cancel it."),
        "research": ("daemon.cli.research", "Research now: topics, one note, or the vault."),
        "report": ("daemon.cli.report", "Report on topics or a run, with sources and gaps."),
        "audio": ("daemon.cli.audio", "Make audio of a report, or of the day's findings."),
        "ingest": ("daemon.cli.ingest", "Write literature notes about documents."),
        "schedule": ("daemon.cli.schedule", "List, run, pause or resume schedules."),
        "findings": ("daemon.cli.findings", "List, show, accept or dismiss findings."),
        "lead": ("daemon.cli.machines", "Make this machine the leader of a synced vault."),
        "threads": ("daemon.cli.threads", "List, show, export or delete threads of questions."),
        "topics": ("daemon.cli.topics", "List topics that are not suggested; restore or exclude."),
        "models": ("daemon.cli.models", "List, detect, test or choose language models."),
        "sources": ("daemon.cli.sources", "List or test sources."),
        "mcp": ("daemon.cli.mcp", "Serve the vault to an assistant (MCP)."),
        "web": ("daemon.cli.web", "Serve a page and a REST interface on this machine."),
        "open": ("daemon.cli.web", "Open the page of a running `lacuna web` in the browser."),
        "obsidian": ("daemon.cli.obsidian", "Install or remove the plugin for Obsidian."),
        "hub": ("daemon.cli.hub", "Share notes of several vaults through PostgreSQL."),
        "worker": ("daemon.cli.hub_operating", "Carry out the jobs of a hub."),
        "library": ("daemon.cli.library", "Index and search your own documents."),
        "secrets": ("daemon.cli.secrets", "Manage keys in the system's keyring."),
        "runs": ("daemon.cli.runs", "List or show runs and their citations."),
        "replay": ("daemon.cli.replay", "Recreate a run's notes without a network."),
        "costs": ("daemon.cli.costs", "Show usage, and what is left of each budget."),
        "privacy": ("daemon.cli.privacy", "Show what left this machine."),
        "config": ("daemon.cli.settings", "Show, change or check the settings."),
        "backup": ("daemon.cli.backup", "Save state, runs and settings in one file."),
        "restore": ("daemon.cli.backup", "Replace the state with a backup."),
        "service": ("daemon.cli.service", "Run the daemon while you are logged in."),
        "uninstall": ("daemon.cli.uninstall", "Remove the service; the vault does not change."),
        "doctor": ("daemon.cli.doctor", "Check everything and show how to fix problems."),
        "demo": ("daemon.cli.demo", "Run the whole pipeline on a copy of the sample vault."),
    }


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lacuna-daemon", prog_name="lacuna")
@common
def cli(options: Options) -> None:
    """Finds gaps in your notes and fills them with short, sourced notes.

    Start with `lacuna init VAULT`, or try `lacuna demo`.
    """


def main() -> None:
    """Run a command. Exit 0 done, 1 failed with one clear line, 2 wrong use, 130 interrupted."""
    sys.excepthook = _show
    own_process.begin()
    warn_of_stopped_daemon(sys.argv[1:])
    try:
        _invoke()
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except click.UsageError as error:
        _fail(_wrong_use(error), code=2)
    except click.ClickException as error:
        _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        _fail("interrupted", code=130)
    except StoppedError as error:
        _fail(str(error), code=130)
    except _expected() as error:
        _fail(str(error))
    except (MemoryError, ImportError, RuntimeError, SystemError) as error:
        _fail_without_memory(error)
    except OSError as error:  # a reader that went away is not an error: click handles that
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{(error.strerror or str(error)).lower()}")


def _expected() -> tuple[type[Exception], ...]:
    """Return the errors that are reported on one line; those of a vault once it is loaded.

    `lacuna search` next to a daemon and `lacuna --help` do not load it.
    """
    base = sys.modules.get("vault_adapters.base")
    return (LacunaError,) if base is None else (LacunaError, base.VaultError)


def _fail_without_memory(error: Exception) -> None:
    """Exit with one line if memory ran out; raise anything else again."""
    if not isinstance(error, MemoryError) and not any(
        sign in str(error).lower() for sign in _SIGNS_OF_NO_MEMORY
    ):
        raise error
    _fail(_NO_MEMORY)


def _invoke() -> None:
    """Run the command; retry once if the database proves corrupt: opening it again repairs it."""
    try:
        cli.main(prog_name="lacuna", standalone_mode=False)
    except CorruptStoreError:
        cli.main(prog_name="lacuna", standalone_mode=False)


def _wrong_use(error: click.UsageError) -> str:
    """Report on one line what is wrong, and where the correct usage is described."""
    message = error.format_message().rstrip(".")
    shown = error.ctx.command_path if error.ctx is not None else "lacuna"
    end = "" if message.endswith("?") else ";"
    return f"{message[:1].lower()}{message[1:]}{end} see `{shown} --help`"


def _fail(message: str, *, code: int = 1) -> None:
    if was_shown(message):
        sys.exit(code)
    shown = "".join(letter if letter.isprintable() else " " for letter in mask(message))
    click.echo(f"lacuna: {' '.join(shown.split())}", err=True)
    sys.exit(code)


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an unexpected error as Python does, but without any known key."""
    with redirect_stderr(StringIO()) as shown:
        sys.__excepthook__(kind, error, trace)
    click.echo(mask(shown.getvalue()), err=True, nl=False)
