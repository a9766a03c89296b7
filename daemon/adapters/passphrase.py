"""The passphrase of the key file: from systemd, a descriptor, the environment, or the user."""

import os
from collections.abc import Callable, Mapping
from functools import cache

from daemon.adapters.credentials import credential
from daemon.model.errors import SecretError
from daemon.model.known_keys import remember

CREDENTIAL = "lacuna-passphrase"
VARIABLE = "LACUNA_SECRETS_PASSPHRASE"
DESCRIPTOR = "LACUNA_SECRETS_PASSPHRASE_FD"
Ask = Callable[[], str]


def find_passphrase(environ: Mapping[str, str], ask: Ask | None = None) -> str:
    """Return the passphrase from the first place that has one; `ask` is the last.

    Raises SecretError if no place has one, or the descriptor cannot be read.
    """
    found = credential(environ, CREDENTIAL)
    if not found and (number := environ.get(DESCRIPTOR)):
        found = _from_descriptor(number)
    found = found or environ.get(VARIABLE) or (ask() if ask is not None else None)
    if not found:
        raise SecretError(
            f"the key file needs its passphrase: set {VARIABLE}, {DESCRIPTOR}, or the credential "
            f"{CREDENTIAL}"
        )
    remember(found)
    return found


@cache  # a pipe can be read only once
def _from_descriptor(number: str) -> str:
    try:
        with os.fdopen(int(number), "r", encoding="utf-8") as file:
            return file.readline().rstrip("\n")
    except (ValueError, OSError):
        raise SecretError(
            f"{DESCRIPTOR} = {number}: nothing can be read from this descriptor"
        ) from None
