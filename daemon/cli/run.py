"""The daemon itself.

Imports may start threads, and a thread that is already running is not confined with the process: so
hardly anything is imported here, and the rest later.
"""

import gc
import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import click

from daemon.cli.options import Options, common
from daemon.cli.output import log_to_stderr
from daemon.config import Settings, load_settings, own_folder, state_folder
from daemon.confinement import landlock
from daemon.confinement.confine import Confinement, Writable, confine, existing, has_entries
from daemon.confinement.guard import guard, is_supervised
from daemon.model.errors import LacunaError, SettingsError
from daemon.model_files import download_folder, reranker_download_folder
from daemon.prepared_model import Places, accelerators, has_torch

_log = logging.getLogger(__name__)
# New objects before Python collects garbage, until the daemon is ready: nearly all objects of a
# start are permanent, and scanning them took an eighth of the start.
_AT_START = 50_000


@click.command()
@click.option("--prepare", is_flag=True, help="Only create the folders that the daemon writes to.")
@common
def run(options: Options, *, prepare: bool) -> None:
    """Run the daemon in the foreground, until SIGTERM or Ctrl-C."""
    gc.set_threshold(_AT_START)
    log_to_stderr("warning")
    settings = _settings(options)
    log_to_stderr(settings.log.level, settings.log.format)
    if prepare:
        prepare_folders(settings)
        return
    if (
        settings.confinement.enabled
        and landlock.version() >= landlock.MIN_VERSION
        and not is_supervised()
    ):
        guard()
        settings = _settings(options)  # which may differ when the guard restarts it
    confinement = _confined(settings)
    from daemon.cli.serve import serve  # noqa: PLC0415 after the process has confined itself

    serve(options, confinement)


def _settings(options: Options) -> Settings:
    return load_settings(options.config, flags={"vault": options.vault, "state": options.state})


def _confined(settings: Settings) -> Confinement:
    """Confine the process according to the settings; on failure, report why, and continue."""
    if not settings.confinement.enabled:
        return Confinement("turned off in the settings")
    places = prepare_folders(settings)
    if places is None:
        return Confinement("no vault is configured")
    try:
        return confine(places)
    except OSError as error:
        return Confinement((error.strerror or str(error)).lower())


def prepare_folders(
    settings: Settings, *, makes_inbox: bool = True, has_copies: bool = True
) -> Writable | None:
    """Create the writable folders; the code that writes there detects errors.

    With `has_copies`, also that of copies of the model, while one is due.

    Raises SettingsError, StoreError.
    """
    vault = settings.vault
    if vault is None:
        return None
    others = existing(settings.confinement.allow_write)
    state = own_folder(settings.state or state_folder(vault), vault)
    _check_exceptions(others, vault, state)
    places = Writable(vault, vault / settings.inbox.folder, state, others)
    try:
        places.prepare()
        cached = tuple(_cache_folders(settings, state, has_copies=has_copies))
        places = replace(places, others=(*others, *cached, *accelerators()))
        if makes_inbox and has_entries(vault):
            from daemon.inbox.inbox import make_inbox_folder  # noqa: PLC0415 as `serve`

            make_inbox_folder(vault, settings.inbox.folder)
    except (OSError, LacunaError) as error:
        _log.debug("not made: %s", error)
    return places


def _cache_folders(settings: Settings, state: Path, *, has_copies: bool) -> Iterator[Path]:
    """Create the cache folders for model downloads; mostly none.

    Raises OSError.
    """
    found = [download_folder(settings.embedding.model, settings.embedding.model_path)]
    may_download = (
        settings.research.reranker == "auto"
        and settings.embedding.model_path is None
        and has_torch()
    )
    if found == [None] and may_download:
        found = [reranker_download_folder()]
    if has_copies:
        places = Places(settings.embedding.model, settings.embedding.model_path, state)
        found.append(places.to_make_in(settings.embedding.backend))
    for folder in filter(None, found):
        folder.mkdir(parents=True, exist_ok=True)
        yield folder


def _check_exceptions(others: Iterable[Path], vault: Path, state: Path) -> None:
    """Raise SettingsError for a folder that would allow writing to what confinement protects."""
    protected = {"the vault": vault, "the state": state, "the home folder": Path.home()}
    for path in others:
        real = path.resolve()
        if real.is_relative_to(vault.resolve()):
            raise SettingsError(f"confinement.allow_write: {path} is in the vault")
        for what, place in protected.items():
            if place.resolve().is_relative_to(real):
                raise SettingsError(
                    f"confinement.allow_write: {path} contains {what}: name a smaller folder"
                )
