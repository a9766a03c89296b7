"""The library `keyring`, with its errors: finding its backend takes a while."""

import keyring
from keyring.errors import InitError, KeyringError, KeyringLocked, NoKeyringError

__all__ = ["InitError", "KeyringError", "KeyringLocked", "NoKeyringError", "keyring"]
