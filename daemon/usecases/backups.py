"""Back up everything that cannot be rebuilt in one file, and restore it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from pydantic import Field

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
from daemon.model.clock import now
from daemon.model.errors import LacunaError, SettingsError
from daemon.model.progress import Progress, no_progress
from daemon.store.archive import BackupError, read_about, write_archive
from daemon.store.restore import restore_archive
from daemon.usecases.document import Document, Moment, Request
from daemon.usecases.place import Place, state_of


class BackupRequest(Request):
    """Where to save the backup."""

    file: Path | None = Field(
        default=None, description="Default: lacuna-VAULT-TIME.tar.gz in the current folder."
    )


class Backup(Document):
    """A backup, and what it contains."""

    file: str = Field(description="Path of the backup.")
    bytes: int = Field(description="Size of the backup, in bytes.")
    runs: int = Field(description="Number of runs in it.")
    settings: tuple[str, ...] = Field(description="Names of the settings files in it.")
    left_out: tuple[str, ...] = Field(
        description="Keys in plain text in sources.yaml, which the backup omits."
    )
    vault: str = Field(exclude=True, description="The vault whose state it contains.")


class RestoreRequest(Request):
    """Which backup to restore."""

    file: Path = Field(description="Path of the backup.")
    settings: bool = Field(default=False, description="Also replace existing settings files.")


class Restored(Document):
    """A state that was restored."""

    vault: str = Field(description="Path of the vault.")
    state: str = Field(description="Path of the restored state folder.")
    made: Moment = Field(description="When the backup was made.")
    aside: str | None = Field(description="The previous state, or null.")
    settings: dict[str, str] = Field(description="What was done with each settings file.")


def back_up(place: Place, request: BackupRequest, progress: Progress = no_progress) -> Backup:
    """Save state, runs and settings in one file, without keys. Raises BackupError."""
    vault, state = _folders(place, place.vault)
    if not (state / "lacuna.db").is_file():
        raise BackupError(f"{state} is empty: there is nothing to back up")
    at = now()
    target = request.file or Path(f"lacuna-{state.name}-{at:%Y%m%dT%H%M%SZ}.tar.gz")
    target = target.absolute()
    _refuse_inside(target, vault)
    settings, left_out = _settings_files(place)
    written = write_archive(
        target,
        state=state,
        vault=vault,
        settings=settings,
        program=version("lacuna-daemon"),
        now=at,
        progress=progress,
    )
    return Backup(
        file=str(target),
        bytes=written.size,
        runs=written.runs,
        settings=tuple(settings),
        left_out=tuple(left_out),
        vault=str(vault),
    )


def back_up_to_send(place: Place) -> tuple[BinaryIO, Backup]:
    """Return a backup as an open file, which has no name any more: nothing of it stays.

    Raises BackupError, SettingsError.
    """
    state = state_of(place)
    with TemporaryDirectory(dir=state, prefix=".backup-") as folder:
        target = Path(folder) / f"lacuna-{state.name}-{now():%Y%m%dT%H%M%SZ}.tar.gz"
        saved = back_up(place, BackupRequest(file=target))
        return target.open("rb"), saved


def restore(
    place: Place,
    request: RestoreRequest,
    warn: Callable[[str], None],
    progress: Progress = no_progress,
) -> Restored:
    """Replace the state with a backup; keep the previous state next to it.

    `warn` gets a line about each settings file that could not be restored. Raises BackupError,
    SettingsError, LockedError.
    """
    about = read_about(request.file)
    vault, state = _folders(place, place.vault or _known(place, about.vault, request.file))
    at = now()
    restored = restore_archive(request.file, state, now=at, progress=progress)
    files = _SettingsFiles(place, at, replaces=request.settings)
    done = {}
    for name, content in restored.settings.items():
        try:
            done[name] = files.put(name, content)
        except (LacunaError, UnicodeDecodeError) as error:
            warn(f"could not restore {name}: {error}")
    return Restored(
        vault=str(vault),
        state=str(state),
        made=about.made_at,
        aside=str(restored.aside) if restored.aside else None,
        settings={name: line for name, line in done.items() if line},
    )


def _folders(place: Place, wanted: Path | None) -> tuple[Path, Path]:
    """Return vault and state folder; the vault itself may be gone."""
    flags = {"vault": wanted, "state": place.state}
    settings = load_settings(place.config, flags=flags, must_exist=wanted is None)
    if settings.vault is None:
        raise SettingsError("no vault is configured: run `lacuna init VAULT`, or give --vault")
    state = settings.state or state_folder(settings.vault)
    return settings.vault, own_folder(state, settings.vault)


def _known(place: Place, vault: Path, file: Path) -> Path:
    """Return the vault of a backup, unless the settings have only others."""
    settings = load_settings(place.config, must_exist=False, needs_vault=False)
    known = [*filter(None, [settings.vault]), *vaults_of(place.config).values()]
    if known and all(each.resolve() != vault.resolve() for each in known):
        raise BackupError(f"{file} is a backup of {vault}: name the vault to restore with --vault")
    return vault


def _refuse_inside(target: Path, vault: Path) -> None:
    if target.parent.resolve().is_relative_to(vault.resolve()):
        raise BackupError(f"{target} is in the vault and would be synced: choose a file outside it")
    if not target.parent.is_dir():
        raise BackupError(f"{target.parent}: the folder does not exist")


def _files(place: Place) -> Mapping[str, Path]:
    """The settings files by their names in a backup."""
    return {
        "config.toml": (place.config or config_path()).absolute(),
        "sources.yaml": sources_path(place.config).absolute(),
        "credibility.toml": credibility_path(place.config).absolute(),
    }


def _settings_files(place: Place) -> tuple[dict[str, bytes], list[str]]:
    """Return the content of the settings files, and which keys were removed."""
    found = {name: path.read_bytes() for name, path in _files(place).items() if path.is_file()}
    left_out: list[str] = []
    if "sources.yaml" in found:
        found["sources.yaml"], left_out = without_keys(found["sources.yaml"])
    return found, left_out


class _SettingsFiles:
    """Restores settings files that are missing; with `replaces`, also existing ones."""

    def __init__(self, place: Place, at: datetime, *, replaces: bool) -> None:
        self._paths = _files(place)
        self._stamp = f"{at:%Y%m%dT%H%M%SZ}"
        self._replaces = replaces

    def put(self, name: str, content: bytes) -> str:
        """Restore a file; return what was done, or "". Raises LacunaError for invalid content."""
        path = self._paths.get(name)
        if path is None or (path.is_file() and path.read_bytes() == content):
            return ""
        if path.is_file() and not self._replaces:
            return "left unchanged; --settings restores that of the backup"
        if name == "config.toml":
            check_settings(content.decode(), path)
        path.parent.mkdir(parents=True, exist_ok=True)
        done = "restored"
        if path.is_file():
            before = path.with_name(f"{path.name}.before-restore-{self._stamp}")
            path.replace(before)
            done = f"restored; the previous one is {before.name}"
        path.write_bytes(content)
        return done
