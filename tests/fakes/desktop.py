"""A bus of its own with a small notification server on it: a real dbus-daemon, a real exchange."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from jeepney import HeaderFields, Message, MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir={folder}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>
"""
_NAME = "org.freedesktop.Notifications"


class NotificationServer:
    """Answers as a desktop does; `shown` are the arguments of each `Notify`."""

    def __init__(self, address: str, capabilities: list[str]) -> None:
        self.shown: list[tuple[Any, ...]] = []
        self.refuses = False
        self._capabilities = capabilities
        self._bus = open_dbus_connection(address)
        asked = self._bus.send_and_get_reply(message_bus.RequestName(_NAME), timeout=30)
        assert asked.body == (1,)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                message = self._bus.receive()
            except (OSError, EOFError):  # the bus has gone
                return
            if message.header.message_type is MessageType.method_call:
                self._answer(self._bus, message)

    def _answer(self, bus: DBusConnection, message: Message) -> None:
        if self.refuses:
            bus.send(new_error(message, f"{_NAME}.Error.Refused", "s", ("no",)))
        elif message.header.fields[HeaderFields.member] == "GetCapabilities":
            bus.send(new_method_return(message, "as", (self._capabilities,)))
        else:
            self.shown.append(message.body)
            bus.send(new_method_return(message, "u", (len(self.shown),)))

    def join(self) -> None:
        self._thread.join(30)
        self._bus.close()


@contextmanager
def a_bus() -> Iterator[str]:
    """Run a bus that nobody else is on; give its address."""
    program = which("dbus-daemon")
    if program is None:
        pytest.skip("there is no dbus-daemon here")
    with TemporaryDirectory(prefix="bus") as folder:  # a short path: it becomes a socket's
        config = Path(folder) / "bus.conf"
        config.write_text(_CONFIG.format(folder=folder))
        command = [program, f"--config-file={config}", "--nofork", "--nopidfile", "--print-address"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                yield process.stdout.readline().strip()
            finally:
                process.terminate()


@contextmanager
def a_desktop(*capabilities: str) -> Iterator[tuple[str, NotificationServer]]:
    """Run a bus with a notification server on it."""
    with a_bus() as address:
        server = NotificationServer(address, list(capabilities))
        yield address, server
    server.join()
