"""The keys of sources and notices: where they are stored, and which exist."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from daemon.adapters.secrets import KEYS_FILE, open_secrets
from daemon.adapters.sources import key_names, load_registry
from daemon.config import config_path, load_settings, sources_path
from daemon.config.hub_section import HUB_KEY, SEAL_KEY
from daemon.config.sign_in_section import SIGN_IN_KEY
from daemon.model.errors import SecretError
from daemon.model.language_models import Role
from daemon.ports import Secrets

NOTICE_KEYS = ("ntfy", "webhook")  # for sending and signing notices


@dataclass(frozen=True, slots=True)
class Keys:
    """Where keys are stored, and the names of those in use. Needs no vault.

    `place` is where new ones go: `keyring` or `file`.
    """

    secrets: Secrets
    names: tuple[str, ...]
    place: str

    def trouble(self, name: str) -> str:
        """Return why a key could not be looked up, or ""."""
        try:
            self.secrets.get(name)
        except SecretError as error:
            return str(error)
        return ""


def open_keys(config: Path | None = None, *, ask: Callable[[], str] | None = None) -> Keys:
    """Return the keys that may be in use; `ask` prompts for the key file's passphrase.

    Raises SettingsError, and SourceError for an invalid sources.yaml.
    """
    settings = load_settings(config, must_exist=False, needs_vault=False)
    place, models = settings.secrets.store, (settings.models.of(role)[0] for role in Role)
    asked = key_names(load_registry(sources_path(config)))
    own = (*NOTICE_KEYS, HUB_KEY, SEAL_KEY, SIGN_IN_KEY)
    names = sorted({*asked, *own, *filter(None, models), *settings.models.remote})
    return Keys(open_secrets(place, sources_path(config).parent, ask=ask), tuple(names), place)


def keys_file(config: Path | None) -> Path:
    """Return the path of the encrypted key file, if it is enabled: next to the settings file."""
    return (config or config_path()).with_name(KEYS_FILE)
