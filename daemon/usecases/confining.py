"""Create the folders that a process writes to, and confine the process to them."""

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from daemon.config import Settings, own_folder, state_folder
from daemon.confinement.confine import Confinement, Writable, confine, existing, has_entries
from daemon.inbox.files import InboxFiles
from daemon.model.errors import LacunaError, SettingsError
from daemon.model_files import download_folder, reranker_download_folder
from daemon.prepared_model import Places, accelerators, has_torch
from daemon.store.permissions import close_to_others, is_open
from daemon.store.private import make_folder
from daemon.usecases.state_places import user_cache_folder
from vault_adapters.own_writes import OwnWrites

_log = logging.getLogger(__name__)
_confined: list[Confinement] = []  # permanent for this process


def confine_daemon(settings: Settings) -> Confinement:
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


def confine_command(settings: Settings, *, makes_notes: bool, also: tuple[Path, ...] = ()) -> None:
    """Confine a command like the daemon: to the inbox, the state and what the settings allow.

    It may write to `also`, too. A command that `makes_notes` gets an inbox to write into. If the
    kernel cannot confine, the command continues; `lacuna doctor` reports it. Raises SettingsError.
    """
    if _confined or not settings.confinement.enabled:
        return
    if settings.vault is None or not settings.vault.is_dir():
        return  # opening it reports the error
    places = prepare_folders(settings, makes_inbox=makes_notes)
    if places is not None:
        with suppress(OSError):
            _confined.append(confine(replace(places, others=(*places.others, *also))))


def refuse_empty(vault: Path | None) -> None:
    """Raise LacunaError for a vault without any file: it may be a mount point without its drive."""
    if vault is not None and os.access(vault, os.R_OK) and not has_entries(vault):
        raise LacunaError(
            f"{vault} is empty, so nothing is written: mount its drive, or create a first note"
        )


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
        if is_open(user_cache_folder()):
            close_to_others(user_cache_folder())
        cached = tuple(_cache_folders(settings, state, has_copies=has_copies))
        places = replace(places, others=(*others, *cached, *accelerators()))
        if makes_inbox and has_entries(vault):
            InboxFiles(vault, settings.inbox.folder, OwnWrites()).make_folder()
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
        make_folder(folder)
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
