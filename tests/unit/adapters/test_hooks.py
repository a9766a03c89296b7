"""The user's own commands: what they get, what they may answer, and how each of them ends."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from daemon.adapters.command_hooks import HookCommand
from daemon.model.errors import HookError
from daemon.model.hook_event import HookEvent

_PATIENCE = 30.0


def hook(folder: Path, script: str, *, seconds: float = _PATIENCE) -> HookCommand:
    """Make a hook of a Python script, run with the arguments `one` and `two words`."""
    path = folder / "hook.py"
    path.write_text(script, encoding="utf-8")
    arguments = [sys.executable, str(path), "one", "two words"]
    return HookCommand(HookEvent.POST_DISCOVER, arguments, seconds=seconds, cwd=folder)


def until_gone(pid: int) -> None:
    """Wait until a process has ended, or is only waited for by whoever inherited it."""
    ends = time.monotonic() + _PATIENCE
    while time.monotonic() < ends:
        found = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], check=False, capture_output=True, text=True
        )
        if not found.stdout.strip() or found.stdout.strip().startswith("Z"):
            return
        time.sleep(0.02)
    pytest.fail(f"process {pid} still runs")


def test_a_hook_receives_json_and_answers_json(tmp_path: Path) -> None:
    script = (
        "import json, sys; print(json.dumps({'got': json.load(sys.stdin), 'argv': sys.argv[1:]}))"
    )
    answer = hook(tmp_path, script).ask({"hits": ["größe", 1]})
    reported = {"format": 1, "event": "post_discover", "hits": ["größe", 1]}
    assert answer == {"got": reported, "argv": ["one", "two words"]}


def test_no_shell_reads_the_arguments(tmp_path: Path) -> None:
    arguments = ["/bin/echo", '{"a": "$HOME; `id` && x > y"}']
    answer = HookCommand(HookEvent.ERROR, arguments, seconds=_PATIENCE, cwd=tmp_path).ask({})
    assert answer == {"a": "$HOME; `id` && x > y"}


def test_a_hook_gets_no_key_and_no_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LACUNA_BRAVE_API_KEY", "planted-secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted-secret")
    monkeypatch.setenv("NOTIFY_SOCKET", "/planted-secret")
    script = "import json, os; print(json.dumps(dict(os.environ)))"
    answer = hook(tmp_path, script).ask({})
    assert "planted-secret" not in json.dumps(answer)
    assert answer["PATH"] == os.environ["PATH"]
    assert answer["LACUNA_EVENT"] == "post_discover"


def test_an_empty_answer_and_unread_input_are_not_failures(tmp_path: Path) -> None:
    assert hook(tmp_path, "").ask({"text": "x" * 5_000_000}) == {}


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("print('not json')", "its answer is not JSON"),
        ("print('[' * 100000)", "its answer is not JSON"),
        ("print('[1]')", "its answer is not a JSON object"),
        ("print('{}'); raise SystemExit(3)", "it ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "it ended with SIGKILL"),
        ("import sys; sys.exit('no such\\x1b[31m list')", "exit code 1: no such [31m list"),
        ("print('x' * 1_000_001)", "its answer is longer than 1 MB"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "its answer is longer than 1 MB"),
    ],
)
def test_an_invalid_answer_is_an_explained_failure(tmp_path: Path, script: str, why: str) -> None:
    with pytest.raises(HookError) as caught:
        hook(tmp_path, script).ask({})
    assert why in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_missing_command_is_an_explained_failure(tmp_path: Path) -> None:
    command = HookCommand(HookEvent.ERROR, ["/nowhere/hook"], seconds=_PATIENCE, cwd=tmp_path)
    with pytest.raises(HookError, match="cannot be started: No such file"):
        command.ask({})


def test_a_hook_that_exceeds_its_timeout_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(HookError, match=r"it took longer than 0\.2 s"):
        hook(tmp_path, "import time; time.sleep(600)", seconds=0.2).ask({})


def test_a_stopped_hook_is_killed_with_its_children(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = (
        "import pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "pathlib.Path('new').write_text(str(child.pid))\n"
        "pathlib.Path('new').rename('pid')\n"
        "time.sleep(600)\n"
    )
    with pytest.raises(HookError, match="it was cancelled"):
        hook(tmp_path, script, seconds=600).ask({}, pid.exists)
    until_gone(int(pid.read_text()))


def test_what_a_hook_leaves_running_ends_with_it(tmp_path: Path) -> None:
    script = (
        "import pathlib, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "pathlib.Path('pid').write_text(str(child.pid))\n"
        "print('{}')\n"
    )
    assert hook(tmp_path, script).ask({}) == {}
    until_gone(int((tmp_path / "pid").read_text()))


def test_a_detached_process_that_holds_the_pipe_is_not_waited_for(tmp_path: Path) -> None:
    script = (
        "import pathlib, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
        " start_new_session=True)\n"
        "pathlib.Path('pid').write_text(str(child.pid))\n"
        "print('{}')\n"
    )
    assert hook(tmp_path, script).ask({}) == {}
    with suppress(ProcessLookupError):  # where it could be found, it has been ended
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="others cannot be found elsewhere")
def test_a_process_that_starts_its_own_session_is_killed_and_no_other(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, sys\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        pathlib.Path('new').write_text(str(os.getpid()))\n"
        "        pathlib.Path('new').rename('pid')\n"
        "        os.execlp('sleep', 'sleep', '600')\n"
        "    os._exit(0)\n"
        "while not pathlib.Path('pid').exists():\n"
        "    pass\n"
    )
    other = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        assert hook(tmp_path, script).ask({}) == {}
        until_gone(int((tmp_path / "pid").read_text()))
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
