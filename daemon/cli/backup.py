"""Back up everything that cannot be rebuilt in one file, and restore it."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import click

from daemon.app import now
from daemon.cli.options import Options, common
from daemon.cli.output import emit, log_to_stderr, say, warn
from daemon.config import (
    check_settings,
    config_path,
    credibility_path,
    load_settings,
    own_folder,
    sources_path,
    state_folder,
    vaults_of,
    without_keys,
)
from daemon.model.errors import LacunaError, SettingsError
from daemon.store.archive import BackupError, read_about, write_archive
from daemon.store.restore import restore_archive
from daemon.usecases.wording import counted

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=_FILE, required=False)
@common
def backup(options: Options, *, file: Path | None) -> None:
    """Save state, runs and settings in one file, without keys.

    The daemon may run. Without FILE, the file is `lacuna-VAULT-TIME.tar.gz` in the current
    folder.
    """
    log_to_stderr("warning")
    vault, state = _place(options, options.vault)
    if not (state / "lacuna.db").is_file():
        raise BackupError(f"{state} is empty: there is nothing to back up")
    at = now()
    target = (file or Path(f"lacuna-{state.name}-{at:%Y%m%dT%H%M%SZ}.tar.gz")).absolute()
    _refuse_inside(target, vault)
    settings, left_out = _settings_files(options)
    written = write_archive(
        target,
        state=state,
        vault=vault,
        settings=settings,
        program=version("lacuna-daemon"),
        now=at,
    )
    if options.json:
        document = {"file": str(target), "bytes": written.size, "runs": written.runs}
        emit({**document, "settings": list(settings), "left_out": left_out})
        return
    held = [counted(written.runs, "run"), *settings]
    say(f"{target}: {written.size / 1e6:.1f} MB")
    say(f"It contains the state of {vault}, {', '.join(held)}. Keys are not in it.")
    for name in left_out:
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

    The daemon must not run. Missing settings files are taken from the backup; existing ones
    stay unless --settings is given.
    """
    log_to_stderr("warning")
    about = read_about(file)
    vault, state = _place(options, options.vault or _known(options, about.vault, file))
    at = now()
    restored = restore_archive(file, state, now=at)
    stamp = f"{at:%Y%m%dT%H%M%SZ}"
    kept = _put_settings(options, restored.settings, with_settings=with_settings, stamp=stamp)
    if options.json:
        document = {"vault": str(vault), "state": str(state), "made": about.made_at.isoformat()}
        aside = str(restored.aside) if restored.aside else None
        emit({**document, "aside": aside, "settings": kept})
        return
    say(f"{state}: as it was on {about.made_at:%Y-%m-%d %H:%M} UTC")
    if restored.aside is not None:
        say(f"Previous state: {restored.aside} (delete it when nothing is missing)")
    for name, done in kept.items():
        say(f"{name}: {done}")
    say("The vault did not change. Backups contain no keys; missing ones: `lacuna secrets list`.")


def _place(options: Options, wanted: Path | None) -> tuple[Path, Path]:
    """Return vault and state folder; the vault itself may be gone."""
    flags = {"vault": wanted, "state": options.state}
    settings = load_settings(options.config, flags=flags, must_exist=wanted is None)
    if settings.vault is None:
        raise SettingsError("no vault is configured: run `lacuna init VAULT`, or give --vault")
    state = settings.state or state_folder(settings.vault)
    return settings.vault, own_folder(state, settings.vault)


def _known(options: Options, vault: Path, file: Path) -> Path:
    """Return the vault of a backup, unless the settings have only others."""
    settings = load_settings(options.config, must_exist=False, needs_vault=False)
    known = [*filter(None, [settings.vault]), *vaults_of(options.config).values()]
    if known and all(each.resolve() != vault.resolve() for each in known):
        raise BackupError(f"{file} is a backup of {vault}: name the vault to restore with --vault")
    return vault


def _refuse_inside(target: Path, vault: Path) -> None:
    if target.parent.resolve().is_relative_to(vault.resolve()):
        raise BackupError(
            f"{target} is in the vault, where a sync would spread it: name a file outside"
        )
    if not target.parent.is_dir():
        raise BackupError(f"{target.parent}: the folder does not exist")


def _files(options: Options) -> dict[str, Path]:
    """The settings files by their names in a backup."""
    return {
        "config.toml": (options.config or config_path()).absolute(),
        "sources.yaml": sources_path(options.config).absolute(),
        "credibility.toml": credibility_path(options.config).absolute(),
    }


def _settings_files(options: Options) -> tuple[dict[str, bytes], list[str]]:
    """Return the content of the settings files, and which keys were removed."""
    found = {name: path.read_bytes() for name, path in _files(options).items() if path.is_file()}
    left_out: list[str] = []
    if "sources.yaml" in found:
        found["sources.yaml"], left_out = without_keys(found["sources.yaml"])
    return found, left_out


def _put_settings(
    options: Options, settings: Mapping[str, bytes], *, with_settings: bool, stamp: str
) -> dict[str, str]:
    """Restore the settings files that are missing, or replace existing ones; report each."""
    done: dict[str, str] = {}
    for name, path in _files(options).items():
        if name not in settings or (path.is_file() and path.read_bytes() == settings[name]):
            continue
        if path.is_file() and not with_settings:
            done[name] = "left unchanged; --settings restores that of the backup"
            continue
        try:
            if name == "config.toml":
                check_settings(settings[name].decode(), path)
        except (LacunaError, UnicodeDecodeError) as error:
            warn(f"could not restore {name}: {error}")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        done[name] = "restored"
        if path.is_file():
            before = path.with_name(f"{path.name}.before-restore-{stamp}")
            path.replace(before)
            done[name] = f"restored; the previous one is {before.name}"
        path.write_bytes(settings[name])
    return done
