"""The first step: choosing the vault to watch."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from daemon.app import App
from daemon.cli.first_look import Questions, ask_about, look_at
from daemon.cli.options import Options, common
from daemon.cli.output import emit, log_to_stderr, warn
from daemon.cli.service import install_service
from daemon.cli.setup_told import Setup, document_of, model_called, tell_next, tell_of
from daemon.composition import open_app
from daemon.config import KEYS, Settings, config_path, load_settings, value_of, vault_names
from daemon.model.errors import LacunaError, SettingsError
from daemon.service import ServiceError, service_of
from daemon.usecases.settings_file import edit_settings, put_vault
from vault_adapters.obsidian_registry import known_vaults

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
    before = load_settings(options.config, flags=given, must_exist=False)
    if before.library.folder is not None and not before.library.folder.is_dir():
        raise SettingsError(f"library: there is no folder {before.library.folder}")
    log_to_stderr("warning")
    setup = _set_up(options, given, before, questions)
    if options.json:
        emit(document_of(setup))
        return
    tell_of(setup)
    is_kept = _keep_running(
        replace(options, vault=setup.settings.vault), setup, questions, wanted=service
    )
    tell_next(setup, is_kept=is_kept)


def _set_up(
    options: Options, given: dict[str, Any], before: Settings, questions: Questions
) -> Setup:
    """Scan the vault, ask about it, and write the settings."""
    app = open_app(before, config=options.config)
    try:
        look, state = look_at(app.adapter), app.state
        model, why_not = _model(app)
    finally:
        app.close()
    inbox = _set_inbox(before, given["inbox.folder"])
    asked = ask_about(
        look, questions, inbox=inbox, usual=before.inbox.folder, model=model_called(before)
    )
    wanted = given | asked
    settings = load_settings(options.config, flags=wanted, must_exist=False)
    path = (options.config or config_path()).absolute()
    kept = {
        key: list(value) if isinstance(value, list) else str(value_of(settings, key))
        for key, value in wanted.items()
        if value is not None
    }
    names: list[str | None] = []
    edit_settings(path, lambda document: names.append(put_vault(document, kept, path.parent)))
    name = names[0] or vault_names(options.config)[0]
    return Setup(settings, look, model, why_not, state, path, name, is_first=names[0] is None)


def _choose(questions: Questions) -> Path:
    """Take a vault that Obsidian knows."""
    known = known_vaults(Path.home())
    if not known:
        raise click.UsageError("give the folder with your notes: `lacuna init VAULT`")
    if len(known) > 1 and not questions.asks:
        raise click.UsageError(
            f"Obsidian knows {len(known)} vaults: name one, such as `lacuna init '{known[0]}'`"
        )
    if len(known) == 1 and not questions.confirm(
        f"Obsidian knows one vault: {known[0]}", "Watch it?"
    ):
        raise click.UsageError("give the folder with your notes: `lacuna init VAULT`")
    return questions.choose("Obsidian knows these vaults, most recently used first.", known)


def _set_inbox(before: Settings, inbox: str | None) -> str | None:
    """Return the inbox that is already set, in the settings or by use."""
    is_usual = before.inbox.folder == KEYS["inbox.folder"].default
    is_used = before.vault is not None and (before.vault / before.inbox.folder).is_dir()
    return inbox if is_usual and not is_used else before.inbox.folder


def _model(app: App) -> tuple[str | None, str]:
    """Return where the model is, or None; and what is wrong with it, if anything."""
    try:
        return app.model_place(), ""
    except LacunaError as error:
        return None, str(error)


def _keep_running(
    options: Options, setup: Setup, questions: Questions, *, wanted: bool | None
) -> bool:
    """Install the service if that is wanted, and asked for where it can be; whether it is there."""
    if wanted is False or (wanted is None and not questions.asks):
        return False
    why = (
        "The daemon can run whenever you are logged in. It watches the vault and proposes "
        "research once a week; you always have time to say no."
    )
    try:
        service_of(setup.state.name).require()
        if wanted is None and not questions.confirm(why, "Run it?"):
            return False
        install_service(options)
    except ServiceError as error:
        if wanted:
            raise
        warn(f"no service: {error}")
        return False
    return True
