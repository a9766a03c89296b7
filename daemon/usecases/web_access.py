"""Secrets of the web server: its token, and the codes of login links.

Programs of this user send the token with each request. Codes come over a Unix socket in the state
folder, which nobody else can open: any program can listen on a port, and would be given the secret.
"""

import html
import json
import re
import socket
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from daemon import local_socket
from daemon.config.web_section import WebSettings
from daemon.model.errors import LacunaError
from daemon.store import private
from daemon.vault_state import VaultState

_NAME = "web-token"  # in the state folder, which only its owner may read
_PAGE = "open-page.html"
_PATIENCE = 5.0  # seconds that a running server may take to answer
_STARTING = 20.0  # seconds that one may take to start
_AGAIN = 0.1
_BYTES = 32
_TOKEN = re.compile(rf"[0-9a-f]{{{2 * _BYTES}}}")


def web_settings(app: VaultState) -> WebSettings:
    """Return the settings of the web server."""
    return app.settings.web


def access_token(app: VaultState, *, rotate: bool = False) -> str:
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


class CurrentToken:
    """The token of a vault as its file has it now: another process may replace it."""

    def __init__(self, app: VaultState) -> None:
        self._token = access_token(app)
        self._path = app.state / _NAME
        self._stamp = self._stamped()

    def __call__(self) -> str:
        """Return the token; the last one while the file cannot be read."""
        if (stamp := self._stamped()) != self._stamp:
            with suppress(OSError, UnicodeDecodeError):
                token = self._path.read_text(encoding="ascii").strip()
                if _TOKEN.fullmatch(token):
                    self._token, self._stamp = token, stamp
        return self._token

    def _stamped(self) -> tuple[int, int] | None:
        with suppress(OSError):
            found = self._path.stat()
            return found.st_ino, found.st_mtime_ns
        return None


def code_listener(app: VaultState, port: int) -> socket.socket:
    """Return the socket over which the server of a port gives codes. Raises LacunaError."""
    try:
        return local_socket.listen(app.state, _socket_name(port))
    except OSError as error:
        raise LacunaError(f"cannot make a socket in {app.state}: {error}") from None


def remove_code_listener(app: VaultState, port: int) -> None:
    """Remove the file of the socket of a server that has ended."""
    with suppress(OSError):
        (app.state / _socket_name(port)).unlink()


def login_code(app: VaultState, port: int) -> str:
    """Return a code from the server of this vault on a port, which is started if it may be.

    Raises LacunaError.
    """
    if (code := _code_of_running(app, port)) is not None:
        return code
    web = app.settings.web
    if web.enabled and web.port == port and _is_woken(port):
        deadline = time.monotonic() + _STARTING
        while time.monotonic() < deadline:
            if (code := _code_of_running(app, port)) is not None:
                return code
            time.sleep(_AGAIN)
    raise LacunaError(f"no page of this vault is served on port {port}: start it with `lacuna web`")


def is_served(app: VaultState, port: int) -> bool:
    """Return whether a server of this vault runs on a port."""
    return _code_of_running(app, port) is not None


def _is_woken(port: int) -> bool:
    """Connect to a port, and send nothing: whatever listens there starts the server."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE):
        return True
    return False


def _code_of_running(app: VaultState, port: int) -> str | None:
    with suppress(local_socket.SocketError, ValueError, KeyError):
        _, body = local_socket.ask(
            *(app.state, "/", b""),
            patience=_PATIENCE,
            working_patience=_PATIENCE,
            name=_socket_name(port),
        )
        return str(json.loads(body)["code"])
    return None


def redirect_page(app: VaultState, link: str) -> Path:
    """Write a page that leads to a link, for the owner alone; return its path. Raises LacunaError.

    All users of a machine see the arguments of a browser, so the link is none of them.
    """
    path, escaped = app.state / _PAGE, html.escape(link)
    text = (
        f'<!doctype html><meta charset="utf-8"><title>Lacuna</title>'
        f'<meta http-equiv="refresh" content="0;url={escaped}"><a href="{escaped}">Lacuna</a>\n'
    )
    try:
        path.unlink(missing_ok=True)
        private.write_text(path, text)
    except OSError as error:
        raise LacunaError(f"cannot write {path}: {error.strerror}") from None
    return path


def _socket_name(port: int) -> str:
    return f"web-{port}.sock"
