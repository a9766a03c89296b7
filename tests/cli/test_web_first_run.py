"""`lacuna web` before there is a vault: first steps, and then the page of the vault."""

import re
import threading
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import click
import pytest

from daemon.cli import web as command
from daemon.cli.options import Options
from daemon.faces.web.web_server import Server
from tests.fakes.cli import Cli


def test_first_steps_are_shown_until_a_vault_is_set_up(
    lacuna: Cli, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process: the guide runs on a thread, as signals are not needed to end it."""
    shown: list[str] = []
    is_told = threading.Event()

    def echo(line: str) -> None:
        shown.append(line)
        is_told.set()

    monkeypatch.setattr(click, "echo", echo)
    monkeypatch.setattr(Server, "capture_signals", lambda _self: _Nothing())
    serving = threading.Thread(target=command._guide, args=(Options(), 0))
    serving.start()
    assert is_told.wait(30)
    found = re.search(r"http://127.0.0.1:(\d+)/login#(\S+)", shown[0])
    assert found is not None
    port, code = int(found[1]), found[2]

    def ask(method: str, path: str, body: str = "", **headers: str) -> tuple[str, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        with closing(connection):
            connection.request(method, path, body, {"accept": "text/html", **headers})
            answer = connection.getresponse()
            return answer.getheader("set-cookie") or "", answer.read().decode()

    assert "Not signed in" in ask("GET", "/")[1]
    cookie = ask("POST", "/login", urlencode({"code": code}))[0].partition(";")[0]
    assert "lacuna init" in ask("GET", "/", cookie=cookie)[1]
    lacuna.settings(vault=vault)
    assert "Your vault is set up" in ask("GET", "/", cookie=cookie)[1]
    serving.join(30)
    assert not serving.is_alive()


class _Nothing:
    """Leaves the signal handlers of the main thread alone."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass
