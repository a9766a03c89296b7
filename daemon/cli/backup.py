"""Back up everything that cannot be rebuilt in one file, and restore it."""

from pathlib import Path

import click

from daemon.cli.logs import log_to_stderr
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, warn
from daemon.cli.progress import progress
from daemon.model.wording import counted
from daemon.usecases import backups
from daemon.usecases.backups import BackupRequest, RestoreRequest

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=_FILE, required=False)
@common
def backup(options: Options, *, file: Path | None) -> None:
    """Save state, runs and settings in one file, without keys.

    You can do this while the daemon runs. Without FILE, the file is `lacuna-VAULT-TIME.tar.gz`
    in the current folder.
    """
    log_to_stderr("warning")
    with progress() as bars:
        saved = backups.back_up(options, BackupRequest(file=file), bars)
    if options.json:
        emit(saved.as_json())
        return
    held = [counted(saved.runs, "run"), *saved.settings]
    say(f"{saved.file}: {saved.bytes / 1e6:.1f} MB")
    say(f"It contains the state of {saved.vault}, {', '.join(held)}. Keys are not in it.")
    for name in saved.left_out:
        say(
            f"{name} is written out in sources.yaml and was not saved: `lacuna secrets` stores keys"
        )


@click.command()
@click.argument("file", type=_FILE)
@click.option(
    "--settings",
    "with_settings",
    is_flag=True,
    help="Also restore the settings files; keep the existing ones next to them.",
)
@common
def restore(options: Options, *, file: Path, with_settings: bool) -> None:
    """Replace the state with a backup; keep the previous state next to it.

    Stop the daemon first. Missing settings files are taken from the backup; existing ones
    stay unless --settings is given.
    """
    log_to_stderr("warning")
    with progress() as bars:
        request = RestoreRequest(file=file, settings=with_settings)
        done = backups.restore(options, request, warn, bars)
    if options.json:
        emit(done.as_json())
        return
    say(f"Restored {done.state} to {done.made:%Y-%m-%d %H:%M} UTC")
    if done.aside is not None:
        say(f"Previous state: {done.aside} (delete it when nothing is missing)")
    for name, what in done.settings.items():
        say(f"{name}: {what}")
    say("The vault did not change. Backups contain no keys; missing ones: `lacuna secrets list`.")
