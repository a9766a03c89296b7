"""The first step: saying which vault to look after."""

from pathlib import Path

import click

from daemon.app import open_app
from daemon.cli.options import Options, common
from daemon.cli.output import counted, emit, log_to_stderr, say
from daemon.cli.settings_file import edit_settings, put_vault
from daemon.config import config_path, load_settings
from daemon.model.errors import SettingsError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="VAULT", required=False)
@click.option("--inbox", help="The folder in the vault to write to.  [default: Inbox/Research]")
@click.option("--library", type=click.Path(path_type=Path), help="A folder of unread documents.")
@common
def init(options: Options, *, folder: Path | None, inbox: str | None, library: Path | None) -> None:
    """Say which vault to look after. Writes the settings file, and nothing into the vault."""
    vault = folder or options.vault
    if vault is None:
        raise click.UsageError("say which folder holds your notes: `lacuna init VAULT`")
    wanted = {"vault": vault, "inbox": inbox, "library": library, "state": options.state}
    settings = load_settings(options.config, flags=wanted, must_exist=False)
    if settings.library is not None and not settings.library.is_dir():
        raise SettingsError(f"library: there is no folder {settings.library}")
    log_to_stderr("warning")
    app = open_app(settings, config=options.config)
    try:
        notes = sum(file.path.endswith(".md") for file in app.adapter.scan().files)
        kind, state = app.adapter.name, app.state
    finally:
        app.close()
    path = (options.config or config_path()).absolute()
    kept = {key: getattr(settings, key) for key, value in wanted.items() if value is not None}
    name = _write_settings(path, {key: str(value) for key, value in kept.items()})
    if options.json:
        document = {"vault": str(settings.vault), "kind": kind, "notes": notes}
        document |= {"config": str(path), "state": str(state), "inbox": settings.inbox}
        emit(document if name is None else {**document, "name": name})
        return
    say(f"{settings.vault}: {counted(notes, 'note')} ({kind})")
    if name is not None:
        say(f"Name:       {name} (`--vault {name}` means this one)")
    say(f"Settings:   {path}")
    say(f"State:      {state}")
    say(f"Inbox:      {settings.inbox} (nothing else in the vault is ever written)")
    here = "" if name is None else f" --vault {name}"
    say(f"\nNext: `lacuna doctor{here}` looks whether everything works;")
    say(f"`lacuna run{here}` starts the daemon.")


def _write_settings(path: Path, values: dict[str, str]) -> str | None:
    """Put a vault into the settings file, beside those that are there; return its name if any."""
    names: list[str | None] = []
    edit_settings(path, lambda document: names.append(put_vault(document, values)))
    return names[0]
