"""What the machine is in, read from made-up roots and a bus of the test's own."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.adapters.system_conditions import SystemConditions
from scheduler.conditions import Network, Surroundings

MAC = (
    "Now drawing from '{power}'\n"
    " -InternalBattery-0 (id=4653155)\t{percent}%; {doing}; 4:32 remaining present: true\n"
)
ROUTE_HEAD = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
DEFAULT = "wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
LOCAL = "wlan0\t0001A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0\n"
IPV6_DEFAULT = f"{'0' * 32} 00 {'0' * 32} 00 {'fe80' + '0' * 27}1 00000400 1 0 00000003    wlan0\n"
IPV6_NONE = f"{'0' * 32} 00 {'0' * 32} 00 {'0' * 32} ffffffff 1 0 00200200       lo\n"


def _supply(root: Path, name: str, **values: str) -> None:
    (root / name).mkdir(parents=True)
    for key, value in values.items():
        (root / name / key).write_text(f"{value}\n")


def _battery(root: Path) -> int | None:
    nowhere = root / "nowhere"
    return _linux(root, nowhere).read().battery_percent


def _linux(power: Path, routes: Path, bus: str = "unix:path=/nowhere/bus") -> SystemConditions:
    return SystemConditions(platform="linux", power=power, routes=routes, bus=bus)


def test_a_machine_without_a_battery_has_none(tmp_path: Path) -> None:
    assert _battery(tmp_path) is None
    assert _battery(tmp_path / "missing") is None


def test_a_battery_counts_while_the_machine_runs_on_it(tmp_path: Path) -> None:
    _supply(tmp_path, "AC", type="Mains", online="0")
    _supply(tmp_path, "BAT0", type="Battery", status="Discharging", capacity="41")
    _supply(tmp_path, "hidpp_battery_0", type="Battery", scope="Device", status="Discharging",
            capacity="5")  # fmt: skip
    assert _battery(tmp_path) == 41
    (tmp_path / "AC" / "online").write_text("1\n")
    assert _battery(tmp_path) is None


def test_two_batteries_count_as_one(tmp_path: Path) -> None:
    _supply(tmp_path, "BAT0", type="Battery", status="Unknown", capacity="90")
    _supply(tmp_path, "BAT1", type="Battery", status="Discharging", capacity="11")
    assert _battery(tmp_path) == 50


def test_an_implausible_battery_state_is_ignored(tmp_path: Path) -> None:
    _supply(tmp_path, "BAT0", type="Battery", status="Discharging", capacity="full")
    _supply(tmp_path, "BAT1", type="Battery")
    assert _battery(tmp_path) is None


def _network(root: Path, v4: str | None, v6: str | None) -> Network:
    for name, text in (("route", v4), ("ipv6_route", v6)):
        (root / name).unlink(missing_ok=True)
        if text is not None:
            (root / name).write_text(text)
    return _linux(root / "power", root).read().network


def test_without_networkmanager_a_way_out_is_a_default_route(tmp_path: Path) -> None:
    assert _network(tmp_path, None, None) is Network.UNKNOWN  # the system does not tell
    assert _network(tmp_path, ROUTE_HEAD + LOCAL + DEFAULT, None) is Network.UNKNOWN
    assert _network(tmp_path, ROUTE_HEAD, IPV6_NONE + IPV6_DEFAULT) is Network.UNKNOWN
    assert _network(tmp_path, ROUTE_HEAD + LOCAL, IPV6_NONE) is Network.ABSENT
    assert _network(tmp_path, "nothing\nof the kind\n", "\n") is Network.ABSENT


@pytest.mark.parametrize(
    ("power", "percent", "doing", "expected"),
    [
        ("Battery Power", "17", "discharging", 17),
        ("AC Power", "17", "charging", None),
        ("AC Power", "100", "charged", None),
    ],
)
def test_the_battery_state_is_read_on_macos(
    tmp_path: Path, power: str, percent: str, doing: str, expected: int | None
) -> None:
    reported = MAC.format(power=power, percent=percent, doing=doing)
    _command(tmp_path / "usr/bin/pmset", f"cat <<'END'\n{reported}END\n")
    _command(tmp_path / "sbin/route", "echo '   route to: default'; echo '  interface: en0'")
    found = SystemConditions(platform="darwin", commands=tmp_path).read()
    assert found == Surroundings(Network.UNKNOWN, expected)


def test_macos_without_a_route_has_no_network(tmp_path: Path) -> None:
    _command(tmp_path / "sbin/route", "echo 'route: writing to routing socket' >&2; exit 1")
    found = SystemConditions(platform="darwin", commands=tmp_path).read()
    assert found == Surroundings(Network.ABSENT, None)
    missing = SystemConditions(platform="darwin", commands=tmp_path / "missing").read()
    assert missing == Surroundings(Network.UNKNOWN, None)


def _command(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[str]:
    """A message bus that nobody else is on."""
    program = shutil.which("dbus-daemon")
    if program is None:
        pytest.skip("there is no dbus-daemon to start a bus with")
    config = tmp_path / "bus.conf"
    config.write_text(
        "<!DOCTYPE busconfig PUBLIC '-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN'"
        " 'http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd'>"
        f"<busconfig><listen>unix:path={tmp_path}/bus</listen><auth>EXTERNAL</auth>"
        "<policy context='default'><allow send_destination='*'/><allow own='*'/>"
        "<allow receive_sender='*'/></policy></busconfig>"
    )
    command = [program, "--nofork", "--nopidfile", f"--config-file={config}", "--print-address"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()  # a signal that this process ignores is ignored by its children


class Manager:
    """Answers as NetworkManager does, on a thread of its own."""

    def __init__(self, bus: str, connectivity: int, metered: int) -> None:
        from jeepney.bus_messages import message_bus
        from jeepney.io.blocking import open_dbus_connection

        self._values = {"Connectivity": connectivity, "Metered": metered}
        self._connection = open_dbus_connection(bus)
        self._connection.send_and_get_reply(
            message_bus.RequestName("org.freedesktop.NetworkManager"), timeout=30
        )
        self._thread = threading.Thread(target=self._answer)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join(60)
        self._connection.close()

    def _answer(self) -> None:
        from jeepney import HeaderFields, MessageType, new_method_return

        answered = 0
        while answered < len(self._values):
            message = self._connection.receive(timeout=60)
            if message.header.message_type is not MessageType.method_call:
                continue
            assert message.header.fields[HeaderFields.member] == "Get"
            value = self._values[message.body[1]]
            self._connection.send(new_method_return(message, "v", (("u", value),)))
            answered += 1


@pytest.mark.parametrize(
    ("connectivity", "metered", "expected"),
    [
        (4, 4, Network.FREE),
        (4, 1, Network.METERED),
        (4, 3, Network.METERED),  # guessed: a phone's hotspot
        (4, 0, Network.FREE),
        (3, 2, Network.FREE),  # limited: its own check may be what is kept out
        (2, 4, Network.PORTAL),
        (1, 0, Network.ABSENT),
    ],
)
def test_the_network_state_is_read_from_networkmanager(
    bus: str, tmp_path: Path, connectivity: int, metered: int, expected: Network
) -> None:
    (tmp_path / "route").write_text(ROUTE_HEAD)
    with Manager(bus, connectivity, metered):
        assert _linux(tmp_path / "power", tmp_path, bus).read().network is expected


def test_a_network_not_managed_by_networkmanager_counts(bus: str, tmp_path: Path) -> None:
    (tmp_path / "route").write_text(ROUTE_HEAD + DEFAULT)
    with Manager(bus, 1, 0):
        assert _linux(tmp_path / "power", tmp_path, bus).read().network is Network.FREE


def test_a_bus_without_networkmanager_gives_no_network_state(bus: str, tmp_path: Path) -> None:
    (tmp_path / "route").write_text(ROUTE_HEAD + DEFAULT)
    assert _linux(tmp_path / "power", tmp_path, bus).read().network is Network.UNKNOWN


def test_looking_at_this_very_machine_raises_nothing() -> None:
    assert SystemConditions().read().network in Network


def test_the_load_is_that_of_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (6.0, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert SystemConditions().read().load == 1.5

    def refuse() -> tuple[float, float, float]:
        raise OSError("not here")

    monkeypatch.setattr("os.getloadavg", refuse)
    assert SystemConditions().read().load is None
