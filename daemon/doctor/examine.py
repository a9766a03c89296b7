"""Run all checks in order, and report why a vault could not be opened."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from daemon.app import App
from daemon.doctor import backend, language_models, looks, running, speech
from daemon.doctor.check import Check, Scene
from daemon.doctor.faults import fault_of
from daemon.model.errors import LacunaError, SourceError, StoreError
from daemon.model.progress import Progress, no_progress
from vault_adapters.base import VaultError

_LOOKS: tuple[Callable[[Scene], Iterator[Check]], ...] = (
    looks.interpreter, looks.settings, looks.vault, looks.inbox, looks.state, looks.index,
    looks.watches, looks.model, backend.backend, looks.languages, looks.reranker,
    language_models.models, speech.speech, looks.sources,
    looks.keys, running.daemon, running.confined, running.readers, running.service, running.clock,
)  # fmt: skip
# Each of them waits seconds for a process of its own, which loads a model or libraries.
_IN_CHILDREN = (looks.model, looks.reranker, running.readers)


def examine(
    app: App, progress: Progress = no_progress, *, now: datetime, config: Path | None = None
) -> list[Check]:
    """Check everything that the daemon depends on; changes nothing, uses no network."""
    scene, found = Scene(app, now, config), list[Check]()
    with ThreadPoolExecutor(len(_IN_CHILDREN)) as pool:
        begun = {look: pool.submit(list[Check], look(scene)) for look in _IN_CHILDREN}
        for done, look in enumerate(_LOOKS):
            progress(done, len(_LOOKS), f"checking: {look.__name__}")
            found += begun[look].result() if look in begun else look(scene)
    return found


def fix(app: App, *, now: datetime, config: Path | None = None) -> list[str]:
    """Make a faster copy of the model if that is due; return lines that report the result.

    Raises ModelError.
    """
    return [done for done in (backend.fix_backend(Scene(app, now, config)),) if done]


def not_opened(error: LacunaError | VaultError) -> list[Check]:
    """Report what prevented the vault from being opened."""
    if isinstance(error, VaultError):
        found = fault_of("vault-gone", error=error)
    elif isinstance(error, StoreError) and _is_locked(error):
        place = Path(str(error).partition(": ")[0])
        found = fault_of("state-locked", error=error, state=place.parent if place.suffix else place)
    elif isinstance(error, StoreError):
        found = fault_of("state-broken", error=error)
    elif isinstance(error, SourceError):
        found = fault_of("sources-broken", error=error)
    else:
        hint = "lacuna init VAULT" if "lacuna init" in str(error) else "lacuna config edit"
        found = fault_of("settings-broken", error=error, hint=hint)
    return [looks.this_python(), found]


def _is_locked(error: StoreError) -> bool:
    """Return whether the state exists but may not be used, judging by the cause."""
    cause = error.__cause__
    name = getattr(cause, "sqlite_errorname", "")
    return isinstance(cause, PermissionError) or name.startswith(("SQLITE_READONLY", "SQLITE_PERM"))
