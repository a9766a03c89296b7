"""The first step: saying which vault to look after."""

from pathlib import Path

import click
from tomlkit import TOMLDocument

from daemon.app import open_app
from daemon.cli.options import Options, common
from daemon.cli.output import counted, emit, log_to_stderr, say
from daemon.cli.settings_file import edit_settings
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
    before = _write_settings(path, {key: str(value) for key, value in kept.items()})
    if options.json:
        document = {"vault": str(settings.vault), "kind": kind, "notes": notes}
        emit({**document, "config": str(path), "state": str(state), "inbox": settings.inbox})
        return
    say(f"{settings.vault}: {counted(notes, 'note')} ({kind})")
    if before not in (None, str(settings.vault)):
        say(f"Was before: {before}")
    say(f"Settings:   {path}")
    say(f"State:      {state}")
    say(f"Inbox:      {settings.inbox} (nothing else in the vault is ever written)")
    say("\nNext: `lacuna doctor` looks whether everything works; `lacuna run` starts the daemon.")


def _write_settings(path: Path, values: dict[str, str]) -> str | None:
    """Put values into the settings file and return the vault it named before."""
    named: list[object] = []

    def edit(document: TOMLDocument) -> None:
        named.append(document.get("vault"))
        if named[0] != values["vault"]:
            document.pop("state", None)  # that of the vault before
        document.update(values)

    edit_settings(path, edit)
    return str(named[0]) if named[0] is not None else None
