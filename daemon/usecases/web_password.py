"""The password with which browsers of other machines sign in; only its hash is stored."""

import json
from collections.abc import Callable
from hashlib import scrypt
from hmac import compare_digest
from secrets import token_bytes

from daemon.model.errors import LacunaError
from daemon.store import private
from daemon.vault_state import VaultState

_NAME = "web-password"  # in the state folder, which only its owner may read
_SHORTEST, _LONGEST = 12, 1_000  # characters
_COST = {"n": 2**15, "r": 8, "p": 1, "maxmem": 2**26}  # a twentieth of a second


def set_password(app: VaultState, password: str) -> None:
    """Store the hash of a password. Raises LacunaError if it is too short or cannot be stored."""
    if not _SHORTEST <= len(password) <= _LONGEST:
        raise LacunaError(f"a password has {_SHORTEST} to {_LONGEST} characters")
    salt = token_bytes(16)
    path = app.state / _NAME
    try:
        path.unlink(missing_ok=True)  # an existing file would keep its permissions
        kept = {"salt": salt.hex(), "hash": _hash(password, salt).hex()}
        private.write_text(path, json.dumps(kept))
    except OSError as error:
        raise LacunaError(f"cannot store the password at {path}: {error.strerror}") from None


def password_check(app: VaultState) -> Callable[[str], bool]:
    """Return a function that compares with the password. Raises LacunaError if there is none."""
    try:
        kept = json.loads((app.state / _NAME).read_text("utf-8"))
        salt, known = bytes.fromhex(kept["salt"]), bytes.fromhex(kept["hash"])
    except (OSError, ValueError, KeyError, TypeError):
        raise LacunaError(
            "other machines may connect only with a password: set it with"
            " `lacuna web --set-password`"
        ) from None
    return lambda given: len(given) <= _LONGEST and compare_digest(_hash(given, salt), known)


def _hash(password: str, salt: bytes) -> bytes:
    return scrypt(password.encode("utf-8", "replace"), salt=salt, dklen=32, **_COST)
