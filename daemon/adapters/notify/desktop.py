"""Desktop notifications: org.freedesktop.Notifications over D-Bus, or the Notification Center of
macOS.
"""

import html
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from daemon.adapters.notify.channel import ChannelSettings
from daemon.model.errors import NotifyError
from daemon.model.notice import Notice, NoticeKind
from daemon.ports import Notifier

if sys.platform == "linux":  # macOS has no bus
    from jeepney import DBusAddress, new_method_call
    from jeepney.io.blocking import open_dbus_connection
    from jeepney.wrappers import DBusErrorResponse, unwrap_msg

_APP = "Lacuna"
_SECONDS = 10.0
_MAX_LENGTH = 1000  # characters
_SERVER = ("/org/freedesktop/Notifications", "org.freedesktop.Notifications")
_CRITICAL, _NORMAL, _LOW = 2, 1, 0
_SERVERS_CHOICE = -1  # how long it is shown
# The text is passed as arguments: no part of it is ever run as a script.
_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


class FreedesktopNotifier(Notifier):
    """Any desktop with a notification server on the session bus at `address`."""

    def __init__(self, address: str) -> None:
        self._address = address

    @property
    def name(self) -> str:
        return "desktop"

    def send(self, notice: Notice) -> None:
        try:
            with closing(open_dbus_connection(self._address)) as bus:
                can = self._call(bus, "GetCapabilities")
                self._call(bus, "Notify", "susssasa{sv}i", _arguments(notice, can))
        except DBusErrorResponse as error:
            raise NotifyError(f"the desktop rejected the notification: {error.name}") from None
        except (OSError, ValueError, RuntimeError, StopIteration, EOFError) as error:
            raise NotifyError(f"no desktop to notify: {type(error).__name__}") from None

    def _call(self, bus: Any, method: str, types: str | None = None, body: Any = ()) -> Any:
        path, server = _SERVER
        call = new_method_call(DBusAddress(path, server, server), method, types, body)
        answer = unwrap_msg(bus.send_and_get_reply(call, timeout=_SECONDS))
        return answer[0] if answer else []


class MacNotifier(Notifier):
    """The Notification Center, by `osascript`."""

    @property
    def name(self) -> str:
        return "desktop"

    def send(self, notice: Notice) -> None:
        script = [part for each in _SCRIPT for part in ("-e", each)]
        # the first argument must not be an option
        arguments = [notice.title[:_MAX_LENGTH].lstrip("-"), notice.text[:_MAX_LENGTH]]
        try:
            subprocess.run(
                ["osascript", *script, *arguments],  # noqa: S607  wherever the system keeps it
                check=True,
                capture_output=True,
                timeout=_SECONDS,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise NotifyError(f"no desktop to notify: {type(error).__name__}") from None


def bus_address(environ: Mapping[str, str] = os.environ) -> str | None:
    """Find the session bus: from the environment, or where systemd puts it."""
    if address := environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    folder = environ.get("XDG_RUNTIME_DIR")
    if folder and (Path(folder) / "bus").exists():
        return f"unix:path={folder}/bus"
    return None


def _arguments(notice: Notice, can: list[str]) -> tuple[Any, ...]:
    """Return the arguments of `Notify`; if the server renders markup, the text is escaped."""
    text = notice.text[:_MAX_LENGTH]
    shown = html.escape(text, quote=False) if "body-markup" in can else text
    urgency = {NoticeKind.ERROR: _NORMAL, NoticeKind.AGENDA: _NORMAL}.get(notice.kind, _LOW)
    hints = {"urgency": ("y", urgency), "category": ("s", "x-lacuna")}
    return (_APP, 0, "", notice.title[:_MAX_LENGTH], shown, [], hints, _SERVERS_CHOICE)


def build(channels: ChannelSettings) -> Notifier | None:
    if not channels.desktop:
        return None
    if sys.platform == "darwin":
        return MacNotifier()
    address = bus_address()
    return FreedesktopNotifier(address) if address else None
