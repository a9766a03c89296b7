"""The machine's condition: battery, network route and load. Read on demand, never watched.

Linux reports batteries in /sys/class/power_supply (ABI/testing/sysfs-class-power), and the network
by NetworkManager's D-Bus interface or the routing table. macOS reports by `pmset` and `route`, but
does not report metered networks. What cannot be determined is unknown.
"""

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from scheduler.conditions import Network, Surroundings

if sys.platform == "linux":  # macOS has no bus
    from jeepney import DBusAddress, MessageFlag, MessageType, Properties
    from jeepney.io.blocking import open_dbus_connection
    from jeepney.wrappers import DBusErrorResponse

_log = logging.getLogger(__name__)

_BUS = "SYSTEM"  # from DBUS_SYSTEM_BUS_ADDRESS, or the default
_NETWORK_MANAGER = "org.freedesktop.NetworkManager"
_SECONDS = 2.0  # of waiting for an answer
# NMConnectivityState and NMMetered, numbered as in NetworkManager's D-Bus types.
_NONE, _PORTAL = 1, 2
_METERED = {1, 3}  # yes, and guessed yes
_UP = 0x1  # RTF_UP
_IPV6_DEFAULT = f"{'0' * 32} 00"
_PMSET = re.compile(r"(\d{1,3})%;\s*([a-z ]+);")


class SystemConditions:
    """Reads the condition of this machine. The paths can be replaced in tests."""

    def __init__(
        self,
        *,
        platform: str = sys.platform,
        power: Path = Path("/sys/class/power_supply"),
        routes: Path = Path("/proc/self/net"),  # which a sandboxed service can also read
        bus: str = _BUS,
        commands: Path = Path("/"),
    ) -> None:
        self._is_mac = platform == "darwin"
        self._power = power
        self._routes = routes
        self._bus = bus
        self._commands = commands

    def read(self) -> Surroundings:
        """Read the condition now; takes some milliseconds. Never raises."""
        battery = self._mac_battery() if self._is_mac else _battery(self._power)
        return Surroundings(self._network(), battery, _load())

    def _network(self) -> Network:
        has_route = self._mac_route() if self._is_mac else _has_route(self._routes)
        answer = None if self._is_mac else _network_manager(self._bus)
        if answer is None:
            return Network.ABSENT if has_route is False else Network.UNKNOWN
        connectivity, metered = answer
        if connectivity == _PORTAL:
            return Network.PORTAL
        # It does not know networks that others manage, such as systemd-networkd.
        if connectivity == _NONE and not has_route:
            return Network.ABSENT
        return Network.METERED if metered in _METERED else Network.FREE

    def _mac_battery(self) -> int | None:
        answer = self._ask("usr/bin/pmset", "-g", "batt")
        found = _PMSET.search(answer or "")
        if found is None or "'Battery Power'" not in (answer or ""):
            return None
        return int(found[1])

    def _mac_route(self) -> bool | None:
        answer = self._ask("sbin/route", "-n", "get", "default")
        return None if answer is None else "interface:" in answer

    def _ask(self, command: str, *arguments: str) -> str | None:
        """Return the output of a system command, whatever its exit code."""
        program = self._commands / command
        try:
            done = subprocess.run(
                [program, *arguments], capture_output=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.SubprocessError) as error:
            _log.debug("%s: %s", program, error)
            return None
        return done.stdout.decode(errors="replace")


def _load() -> float | None:
    """Return the load of the last minute per core; None if the system does not report it."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None


def _battery(root: Path) -> int | None:
    """Return the charge in percent while the machine runs on battery, else None."""
    charges: list[int] = []
    is_discharging = False
    for supply in sorted(_folders(root)):
        kind = _line(supply / "type")
        if kind in ("Mains", "USB", "Wireless") and _line(supply / "online") == "1":
            return None
        # The battery of a mouse does not power the machine.
        if kind != "Battery" or _line(supply / "scope") == "Device":
            continue
        is_discharging |= _line(supply / "status") == "Discharging"
        with suppress(ValueError):
            charges.append(int(_line(supply / "capacity")))
    return sum(charges) // len(charges) if charges and is_discharging else None


def _has_route(proc: Path) -> bool | None:
    """Return whether there is a default route; None if the system does not report it."""
    v4, v6 = _text(proc / "route"), _text(proc / "ipv6_route")
    if v4 is None and v6 is None:
        return None
    for row in map(str.split, (v4 or "").splitlines()[1:]):
        with suppress(ValueError, IndexError):
            if row[1] == "00000000" and row[7] == "00000000" and int(row[3], 16) & _UP:
                return True
    return any(
        row.startswith(_IPV6_DEFAULT) and row.split()[-1] != "lo"
        for row in (v6 or "").splitlines()
        if row.split()
    )


def _network_manager(bus: str) -> tuple[int, int] | None:
    """Return its `Connectivity` and `Metered`, or None if it is not running."""
    place = DBusAddress(
        "/org/freedesktop/NetworkManager", _NETWORK_MANAGER, interface=_NETWORK_MANAGER
    )
    try:
        with open_dbus_connection(bus, auth_timeout=_SECONDS) as connection:
            found = []
            for name in ("Connectivity", "Metered"):
                property_ = Properties(place).get(name)
                property_.header.flags |= MessageFlag.no_auto_start
                answer = connection.send_and_get_reply(property_, timeout=_SECONDS)
                if answer.header.message_type is not MessageType.method_return:
                    return None
                found.append(int(answer.body[0][1]))
    except (OSError, RuntimeError, ValueError, TypeError, DBusErrorResponse) as error:
        _log.debug("could not query NetworkManager: %s", error)
        return None
    connectivity, metered = found
    return connectivity, metered


def _folders(root: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from root.iterdir()


def _line(path: Path) -> str:
    return (_text(path) or "").strip()


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return None
