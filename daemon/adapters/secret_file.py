"""Keys in one encrypted file, for machines without a keyring, and only on request.

scrypt derives a key from the passphrase (RFC 7914); AES-256-GCM encrypts all names and values as
one piece, so a change to any byte of the file is detected. Without the passphrase, the file reveals
nothing, not even the number or names of the keys.
"""

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from daemon.model.errors import SecretError
from daemon.store.private import make_folder

COST = 2**17  # scrypt's n: 128 MB and half a second
_BLOCK, _LANES = 8, 1
_MAX_COST = 2**20  # limit for a file's parameters: a foreign file must not use up all memory
_FORMAT = 1


class SecretFile:
    """The keyring interface used here, on the file at `path`; `passphrase` is called when needed.

    All methods raise SecretError: no passphrase, a wrong one, a damaged file, an unwritable disk.
    """

    def __init__(self, path: Path, passphrase: Callable[[], str], *, cost: int = COST) -> None:
        self._path = path
        self._passphrase = passphrase
        self._cost = cost

    def get_password(self, service_name: str, username: str) -> str | None:
        return self._read().get(f"{service_name}/{username}")

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self._write({**self._read(), f"{service_name}/{username}": password})

    def delete_password(self, service_name: str, username: str) -> None:
        passwords = self._read()
        passwords.pop(f"{service_name}/{username}", None)
        self._write(passwords)

    def _read(self) -> dict[str, str]:
        """Return the keys by name; empty if there is no file yet."""
        header = self._header()
        if header is None:
            return {}
        try:
            salt, nonce = b64decode(header["salt"]), b64decode(header["nonce"])
            data, cost = b64decode(header["data"]), int(header["n"])
            if header["format"] != _FORMAT or not 2 <= cost <= _MAX_COST:
                raise ValueError("the file is of an unsupported kind")  # noqa: TRY301 said below
            cipher = _cipher(self._passphrase(), salt, cost)
            found: dict[str, str] = json.loads(cipher.decrypt(nonce, data, _bound(cost)))
        except InvalidTag:
            raise SecretError(
                f"the passphrase does not open {self._path}, or the file is damaged"
            ) from None
        except (KeyError, TypeError, ValueError):
            raise SecretError(f"{self._path} was not written by Lacuna") from None
        return found

    def _header(self) -> Mapping[str, Any] | None:
        try:
            document = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SecretError(f"{self._path}: {error.strerror}") from None
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise SecretError(f"{self._path} was not written by Lacuna")
        return document

    def _write(self, passwords: Mapping[str, str]) -> None:
        salt, nonce = os.urandom(16), os.urandom(12)
        cipher = _cipher(self._passphrase(), salt, self._cost)
        data = cipher.encrypt(nonce, json.dumps(passwords).encode(), _bound(self._cost))
        texts = {"salt": salt, "nonce": nonce, "data": data}
        document = {
            "format": _FORMAT,
            "n": self._cost,
            **{name: b64encode(value).decode() for name, value in texts.items()},
        }
        try:
            _replace(self._path, json.dumps(document, indent=1).encode())
        except OSError as error:
            raise SecretError(f"{self._path}: {error.strerror}") from None


@lru_cache(maxsize=4)
def _cipher(passphrase: str, salt: bytes, cost: int) -> Any:
    """Derive the cipher from the passphrase; it is kept, because that takes half a second."""
    made = Scrypt(salt=salt, length=32, n=cost, r=_BLOCK, p=_LANES).derive(passphrase.encode())
    return AESGCM(made)


def _bound(cost: int) -> bytes:
    """Return the header that is authenticated but not encrypted."""
    return f"lacuna secrets {_FORMAT} {cost}".encode()


def _replace(path: Path, data: bytes) -> None:
    """Write the file atomically, readable by its owner only."""
    make_folder(path.parent)
    target = path.resolve()  # keep a link, as used for dotfiles
    draft = target.with_name(f".{target.name}.tmp")
    draft.unlink(missing_ok=True)
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(file)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
