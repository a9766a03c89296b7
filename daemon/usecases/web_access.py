"""The token of the web server: a secret that programs of this user send with each request."""

import re
from contextlib import suppress
from secrets import token_hex

from daemon.app import App
from daemon.model.errors import LacunaError
from daemon.store import private

_NAME = "web-token"  # in the state folder, which only its owner may read
_BYTES = 32
_TOKEN = re.compile(rf"[0-9a-f]{{{2 * _BYTES}}}")


def access_token(app: App, *, rotate: bool = False) -> str:
    """Return the token of this vault, 256 bits in hexadecimal; `rotate` replaces it.

    Raises LacunaError if it cannot be stored.
    """
    path = app.state / _NAME
    with suppress(OSError, UnicodeDecodeError):
        token = "" if rotate else path.read_text(encoding="ascii").strip()
        if _TOKEN.fullmatch(token):
            path.chmod(0o600)
            return token
    token = token_hex(_BYTES)
    try:
        path.unlink(missing_ok=True)  # an existing file would keep its permissions
        private.write_text(path, token)
    except OSError as error:
        raise LacunaError(f"cannot store the token at {path}: {error.strerror}") from None
    return token
