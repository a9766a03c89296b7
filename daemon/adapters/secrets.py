"""Keys from the environment, the service manager, and the keyring or an encrypted file."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from daemon.adapters.credentials import credential
from daemon.adapters.passphrase import Ask, find_passphrase
from daemon.child_environment import WITH_KEYS
from daemon.model.errors import SecretError
from daemon.model.known_keys import remember
from daemon.model.late import LateModule
from daemon.ports import Secrets

if TYPE_CHECKING:
    from daemon.adapters import system_keyring
else:  # often no key is needed
    system_keyring = LateModule("daemon.adapters.system_keyring")

SERVICE = "lacuna"
KEYS_FILE = "secrets.enc"  # next to the settings file


class Keyring(Protocol):
    """The interface of the `keyring` module that is used."""

    def get_password(self, service_name: str, username: str) -> str | None: ...
    def set_password(self, service_name: str, username: str, password: str) -> None: ...
    def delete_password(self, service_name: str, username: str) -> None: ...


def variable(name: str) -> str:
    """Return the environment variable for a key: `brave` -> `LACUNA_BRAVE_API_KEY`."""
    return f"LACUNA_{name.upper().replace('-', '_')}_API_KEY"


def _of_the_system() -> Keyring:
    found: Keyring = system_keyring.keyring
    return found


class KeyringSecrets(Secrets):
    """The environment first, then systemd's credentials, then the keyring, as service `lacuna`.

    `place` names the keyring: `keyring`, or `file` for the encrypted file.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str] = WITH_KEYS,
        keyring: Callable[[], Keyring] = _of_the_system,
        place: str = "keyring",
    ) -> None:
        self._environ = environ
        self._keyring = keyring
        self.place = place

    def get(self, name: str) -> str | None:
        """Return the key, or None if there is none. Raises SecretError if a place fails."""
        key = self._from_environment(name) or self._stored(name)
        if key:
            remember(key)
        return key

    def set(self, name: str, value: str) -> None:
        """Raises SecretError if there is no keyring, or it does not store the key."""
        remember(value.strip())
        with _translated(name):
            self._keyring().set_password(SERVICE, name, value.strip())
        if (
            self._stored(name) != value.strip()
        ):  # a disabled keyring accepts everything and stores nothing
            raise SecretError(
                f"the {self.place} did not store it: set {variable(name)} in the environment"
            )

    def delete(self, name: str) -> bool:
        """Return whether the keyring had it; environment variables stay."""
        if self._stored(name) is None:
            return False
        with _translated(name):
            self._keyring().delete_password(SERVICE, name)
        return True

    def where(self, name: str) -> str | None:
        """Return `environment`, `credential`, `keyring` or `file`; None if no place has it."""
        if self._environ.get(variable(name)):
            return "environment"
        try:
            if credential(self._environ, name):
                return "credential"
            return self.place if self._stored(name) else None
        except SecretError:
            return None

    def _from_environment(self, name: str) -> str | None:
        return self._environ.get(variable(name)) or credential(self._environ, name)

    def _stored(self, name: str) -> str | None:
        with _translated(name):
            return self._keyring().get_password(SERVICE, name) or None


def open_secrets(
    place: str,
    folder: Path,
    *,
    environ: Mapping[str, str] = WITH_KEYS,
    ask: Ask | None = None,
) -> KeyringSecrets:
    """Return the keys stored in `place`: `keyring`, or `file`, which is in `folder`.

    `ask` asks the user for the file's passphrase if nothing else provides it.
    """
    if place != "file":
        return KeyringSecrets(environ=environ)
    from daemon.adapters.secret_file import SecretFile  # noqa: PLC0415 loads cryptography, 6 MB

    file = SecretFile(folder / KEYS_FILE, lambda: find_passphrase(environ, ask))
    return KeyringSecrets(environ=environ, keyring=lambda: file, place="file")


@contextmanager
def _translated(name: str) -> Iterator[None]:
    """Turn what the keyring raises into one line that says what to do instead."""
    instead = f"set {variable(name)} in the environment instead"
    try:
        yield
    except system_keyring.NoKeyringError:
        raise SecretError(f"this system has no keyring: {instead}") from None
    except (system_keyring.KeyringLocked, system_keyring.InitError):
        raise SecretError(f"the keyring is locked: unlock it, or {instead}") from None
    except (system_keyring.KeyringError, RuntimeError, OSError, ImportError) as error:
        why = type(error).__name__
        raise SecretError(f"the keyring does not work ({why}): {instead}") from None
