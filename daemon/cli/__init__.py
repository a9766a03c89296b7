"""The command line: one module per group of commands."""

import sys
import traceback
from types import TracebackType
from typing import ClassVar

import click

from daemon.cli import own_process
from daemon.cli.group import LazyGroup
from daemon.cli.options import Options, common
from daemon.model.errors import CorruptStoreError, LacunaError, StoppedError
from daemon.model.known_keys import mask

_NO_MEMORY = (
    "not enough memory: the system, or a limit such as `ulimit -v`, gives this process no more."
    " Raise the limit or close other programs"
)
# What libraries and threads say when they get none.
_SIGNS_OF_NO_MEMORY = ("failed to map segment", "cannot allocate memory", "can't start new thread")


class _Commands(LazyGroup):
    places: ClassVar = {
        "init": ("daemon.cli.setup", "Say which vault to look after."),
        "run": ("daemon.cli.run", "Run the daemon in the foreground."),
        "status": ("daemon.cli.status", "Show what runs, what waits, and what comes next."),
        "index": ("daemon.cli.index", "Bring the index up to date."),
        "health": ("daemon.cli.vault", "Show orphans, clusters, and gaps worth researching."),
        "graph": ("daemon.cli.vault", "Print the link graph."),
        "search": ("daemon.cli.search", "Search the vault by words and by meaning."),
        "eval": ("daemon.cli.evaluate", "Hide some links, and see how many are found again."),
        "agenda": ("daemon.cli.agenda", "Show what is planned; plan, approve or cancel it."),
        "research": ("daemon.cli.research", "Research at once: topics, a note, or the vault."),
        "schedule": ("daemon.cli.schedule", "Show what runs when; run, pause or resume it."),
        "findings": ("daemon.cli.findings", "List, show, accept or dismiss findings."),
        "lead": ("daemon.cli.machines", "Have this machine research for a vault on several."),
        "topics": ("daemon.cli.topics", "List topics that rest, and let them be suggested again."),
        "sources": ("daemon.cli.sources", "List or test what is asked."),
        "library": ("daemon.cli.library", "Index and search your own documents."),
        "secrets": ("daemon.cli.secrets", "Keep keys in the system's keyring."),
        "runs": ("daemon.cli.runs", "List, find or show runs, and what they followed."),
        "replay": ("daemon.cli.research", "Make a run's notes again, without network."),
        "costs": ("daemon.cli.costs", "Show what was spent, and what is left of each budget."),
        "privacy": ("daemon.cli.privacy", "Show what left this machine: to whom, when, and what."),
        "config": ("daemon.cli.settings", "Show, change or check the settings."),
        "backup": ("daemon.cli.backup", "Put state, runs and settings into one file."),
        "restore": ("daemon.cli.backup", "Put a backup in the place of the state."),
        "service": ("daemon.cli.service", "Have the daemon run while you are logged in."),
        "uninstall": ("daemon.cli.uninstall", "Remove the service; the vault stays as it is."),
        "doctor": ("daemon.cli.doctor", "Check everything, and say what to do about it."),
        "demo": ("daemon.cli.demo", "See it all work on a copy of a sample vault."),
    }


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lacuna-daemon", prog_name="lacuna")
@common
def cli(options: Options) -> None:
    """Finds what your notes do not know yet, and fills it with short, sourced notes.

    Begin with `lacuna init VAULT`, or see it work with `lacuna demo`.
    """


def main() -> None:
    """Run a command. Exit 0 done, 1 failed with one clear line, 2 wrong use, 130 interrupted."""
    sys.excepthook = _show
    own_process.begin()
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
    except (MemoryError, ImportError, RuntimeError) as error:
        _fail_without_memory(error)
    except OSError as error:  # a reader that went away is not among them: click sees to that
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{(error.strerror or str(error)).lower()}")


def _expected() -> tuple[type[Exception], ...]:
    """Return the errors that are one line; those of a vault once something has loaded them.

    `lacuna search` beside a daemon and `lacuna --help` do without.
    """
    base = sys.modules.get("vault_adapters.base")
    return (LacunaError,) if base is None else (LacunaError, base.VaultError)


def _fail_without_memory(error: Exception) -> None:
    """End with one line when memory is what was missing; raise anything else again."""
    if not isinstance(error, MemoryError) and not any(
        sign in str(error).lower() for sign in _SIGNS_OF_NO_MEMORY
    ):
        raise error
    _fail(_NO_MEMORY)


def _invoke() -> None:
    """Run the command; once more when the database proves corrupt at work: it is mended then."""
    try:
        cli.main(prog_name="lacuna", standalone_mode=False)
    except CorruptStoreError:
        cli.main(prog_name="lacuna", standalone_mode=False)


def _wrong_use(error: click.UsageError) -> str:
    """Say on one line what is wrong, and where it is told how to do it right."""
    message = error.format_message().rstrip(".")
    shown = error.ctx.command_path if error.ctx is not None else "lacuna"
    end = "" if message.endswith("?") else ";"
    return f"{message[:1].lower()}{message[1:]}{end} see `{shown} --help`"


def _fail(message: str, *, code: int = 1) -> None:
    shown = "".join(letter if letter.isprintable() else " " for letter in mask(message))
    click.echo(f"lacuna: {' '.join(shown.split())}", err=True)
    sys.exit(code)


def _show(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    """Print what nobody expected as Python does, but without any key that was read."""
    click.echo(mask("".join(traceback.format_exception(error))), err=True, nl=False)
