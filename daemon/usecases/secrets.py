"""The keys of sources, models and notices. Needs no vault."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from pydantic import Field

from daemon.keys import Keys, keys_file, open_keys
from daemon.model.errors import SecretError, SourceError
from daemon.usecases.document import Document, ListDocument
from daemon.usecases.place import Place


class StoredKey(Document):
    """A key that was stored."""

    name: str = Field(description="Name of the key.", examples=["brave"])
    set: bool = Field(default=True, description="Always true: the key is stored.")


class DeletedKey(Document):
    """A key, and whether it was there to be deleted."""

    name: str = Field(description="Name of the key.", examples=["brave"])
    deleted: bool = Field(description="Whether it was there.")


class KeyPlace(Document):
    """Where a key is stored; `where` is null when it is not set."""

    name: str = Field(description="Name of the key.", examples=["brave"])
    where: str | None = Field(description="keyring, file, or environment.")
    why: str = Field(description='Why it could not be looked up, or "".')


class KeyPlaces(ListDocument[KeyPlace]):
    """All keys that may be in use."""


def has_key_file(place: Place) -> bool:
    """Return whether there is an encrypted key file."""
    return keys_file(place.config).exists()


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys of one settings file; `place` is where new ones are stored."""

    _keys: Keys

    @property
    def place(self) -> str:
        """Where new keys are stored."""
        return self._keys.place

    def require(self, name: str) -> None:
        """Raise SourceError for an unknown name, SecretError if the key could not be stored."""
        self._check_known(name)
        if why := self._keys.trouble(name):
            raise SecretError(why)

    def set(self, name: str, value: str) -> StoredKey:
        """Store a key. Raises SecretError."""
        self._keys.secrets.set(name, value)
        return StoredKey(name=name)

    def delete(self, name: str) -> DeletedKey:
        """Delete a key. Raises SecretError, SourceError for an unknown name."""
        was_there = self._keys.secrets.delete(name)
        if not was_there:
            self._check_known(name)
        return DeletedKey(name=name, deleted=was_there)

    def where(self, name: str) -> str | None:
        """Return where a key is stored, or None."""
        return self._keys.secrets.where(name)

    def given(self, name: str) -> str | None:
        """Return a key that this process was given from outside, and that needs no storing."""
        is_given = self.where(name) in ("environment", "credential")
        return self._keys.secrets.get(name) if is_given else None

    def each(self) -> KeyPlaces:
        """Return where each key is stored."""
        keys = self._keys
        return KeyPlaces(
            tuple(
                KeyPlace(name=name, where=keys.secrets.where(name), why=keys.trouble(name))
                for name in keys.names
            )
        )

    def _check_known(self, name: str) -> None:
        names = self._keys.names
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"
            raise SourceError(f"no source uses a key named {name}: {hint}")


def key_ring(place: Place, ask: Callable[[], str] | None) -> KeyRing:
    """Return the keys; `ask` prompts for the passphrase of the key file.

    Raises SettingsError, and SourceError for an invalid sources.yaml.
    """
    return KeyRing(open_keys(place.config, ask=ask))
