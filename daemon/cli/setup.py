"""The first step: choosing the vault to watch."""

import sys
from dataclasses import replace
from pathlib import Path

import click

from daemon.cli.logs import log_to_stderr
from daemon.cli.options import Options, common
from daemon.cli.output import emit, warn
from daemon.cli.progress import patience
from daemon.cli.setup_questions import Questions, ask_questions
from daemon.cli.setup_report import show_next, show_setup
from daemon.service import ServiceError
from daemon.usecases import service as services
from daemon.usecases.place import vaults_of_obsidian
from daemon.usecases.setup import scan_vault, set_up
from daemon.usecases.writer import report_to

_NO_VAULT = "give the folder with your notes: `lacuna init VAULT`"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="[VAULT]", required=False)
@click.option("--inbox", help="The inbox folder in the vault.  [default: Inbox/Research]")
@click.option("--library", type=click.Path(path_type=Path), help="A folder of unread documents.")
@click.option("--yes", "-y", is_flag=True, help="Accept all suggestions.")
@click.option(
    "--service/--no-service",
    default=None,
    help="Install the service.  [default: ask]",
)
@common
def init(
    options: Options,
    *,
    folder: Path | None,
    inbox: str | None,
    library: Path | None,
    yes: bool,
    service: bool | None,
) -> None:
    """Set up a vault: write the settings file, and nothing into the vault.

    Without VAULT, use a vault that Obsidian knows. Asks nothing without a terminal.
    """
    questions = Questions(not yes and not options.json and sys.stdin.isatty())
    vault = folder or options.vault or _choose(questions)
    given = {
        "vault": vault,
        "inbox.folder": inbox,
        "library.folder": library,
        "state": options.state,
    }
    log_to_stderr("warning")
    with patience("counting the notes of the vault") as show:
        found = scan_vault(options, given, report_to(show))
    setup = set_up(options, given | ask_questions(found, questions), found)
    if options.json:
        emit(setup.as_json())
        return
    show_setup(setup)
    has_service = _install_service(
        replace(options, vault=Path(setup.vault)), questions, is_requested=service
    )
    show_next(setup, has_service=has_service)


def _choose(questions: Questions) -> Path:
    """Take a vault that Obsidian knows."""
    known = vaults_of_obsidian()
    if not known:
        raise click.UsageError(_NO_VAULT)
    if len(known) > 1 and not questions.is_interactive:
        raise click.UsageError(
            f"Obsidian knows {len(known)} vaults: name one, such as `lacuna init '{known[0]}'`"
        )
    if len(known) == 1 and not questions.confirm(
        f"Obsidian knows one vault: {known[0]}", "Watch it?"
    ):
        raise click.UsageError(_NO_VAULT)
    return questions.choose("Obsidian knows these vaults, most recently used first.", known)


def _install_service(options: Options, questions: Questions, *, is_requested: bool | None) -> bool:
    """Install the service if the user wants it; return whether it is there now."""
    if is_requested is False or (is_requested is None and not questions.is_interactive):
        return False
    why = (
        "The daemon can run whenever you are logged in. It watches the vault and proposes "
        "research once a week; you always have time to say no."
    )
    try:
        services.require(options)
        if is_requested is None and not questions.confirm(why, "Run it?"):
            return False
        services.install(options)
    except ServiceError as error:
        if is_requested:
            raise
        warn(f"no service: {error}")
        return False
    return True
