"""Telling the user on the desktop: over a real bus, and by a script that reads only arguments."""

import sys
from pathlib import Path

import pytest

from daemon.adapters.notify.desktop import FreedesktopNotifier, MacNotifier, bus_address
from daemon.model.errors import NotifyError
from daemon.model.notice import NoticeKind
from tests.fakes.notices import a_notice

linux = pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is for Linux")


@linux
def test_a_notice_is_shown_by_the_desktop() -> None:
    from tests.fakes.desktop import a_desktop

    with a_desktop("body") as (address, server):
        FreedesktopNotifier(address).send(a_notice(text="2 < 3 & <b>so</b>"))
        FreedesktopNotifier(address).send(a_notice(kind=NoticeKind.ERROR))
    [(app, replaces, _icon, title, text, actions, hints, timeout), error] = server.shown
    assert (app, replaces, actions, timeout) == ("Lacuna", 0, [], -1)
    assert (title, text) == ("Lacuna: 2 findings to review", "2 < 3 & <b>so</b>")
    assert hints["urgency"] == ("y", 0)
    assert error[6]["urgency"] == ("y", 1)


@linux
def test_a_notification_contains_no_markup_even_where_it_is_supported() -> None:
    from tests.fakes.desktop import a_desktop

    with a_desktop("body", "body-markup") as (address, server):
        FreedesktopNotifier(address).send(a_notice(text='2 < 3 & <a href="x">so</a>'))
    assert server.shown[0][4] == '2 &lt; 3 &amp; &lt;a href="x"&gt;so&lt;/a&gt;'


@linux
def test_a_refusal_by_the_desktop_is_reported_as_such() -> None:
    from tests.fakes.desktop import a_desktop

    with a_desktop() as (address, server):
        server.refuses = True
        with pytest.raises(NotifyError, match=r"rejected the notification: .*Error\.Refused"):
            FreedesktopNotifier(address).send(a_notice())


@linux
def test_a_bus_without_a_notification_service_is_reported_as_such() -> None:
    from tests.fakes.desktop import a_bus

    with (
        a_bus() as address,
        pytest.raises(
            NotifyError, match=r"rejected the notification: org\.freedesktop\.DBus\.Error"
        ),
    ):
        FreedesktopNotifier(address).send(a_notice())


@linux
@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "tcp:host=localhost", "nonsense"])
def test_without_a_bus_there_is_no_desktop(address: str) -> None:
    with pytest.raises(NotifyError, match="no desktop to notify"):
        FreedesktopNotifier(address).send(a_notice())


def test_the_bus_is_found_where_the_environment_or_systemd_puts_it(tmp_path: Path) -> None:
    runtime = {"XDG_RUNTIME_DIR": str(tmp_path)}
    assert bus_address({}) is None
    assert bus_address(runtime) is None
    (tmp_path / "bus").touch()
    assert bus_address(runtime) == f"unix:path={tmp_path}/bus"
    assert bus_address({**runtime, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}) == "unix:path=/x"


def test_on_macos_the_text_is_passed_as_an_argument_and_not_in_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = tmp_path / "reported"
    script = tmp_path / "osascript"
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{reported}'\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    text = '" & (do shell script "touch pwned") & "'
    MacNotifier().send(a_notice(text=text))
    assert reported.read_text().splitlines() == [
        "-e",
        "on run argv",
        "-e",
        "display notification (item 2 of argv) with title (item 1 of argv)",
        "-e",
        "end run",
        "Lacuna: 2 findings to review",
        text,
    ]


def test_on_macos_a_failure_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotifyError, match="no desktop to notify: FileNotFoundError"):
        MacNotifier().send(a_notice())
    script = tmp_path / "osascript"
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    with pytest.raises(NotifyError, match="no desktop to notify: CalledProcessError"):
        MacNotifier().send(a_notice())
