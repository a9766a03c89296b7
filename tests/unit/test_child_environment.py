"""Child processes see no key, however it was set."""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue

import pytest

from daemon.adapters import analysis_child as child_module
from daemon.adapters import embedder as embedder_module
from daemon.adapters.analysis_child import AnalysisChild
from daemon.adapters.embedder import ChildEmbedder
from daemon.child_environment import child_environment
from daemon.cli import main
from daemon.cycle.analysis_options import AnalysisOptions
from daemon.index.parse_child import Child
from daemon.model.errors import LacunaError
from tests.fakes.indexed_vault import IndexedVault
from tests.fakes.process import PATIENCE, ROOT

SECRETS = {
    "LACUNA_BRAVE_API_KEY": "planted-key",
    "LACUNA_OUR_LAB_API_KEY": "planted-key",
    "LACUNA_SECRETS_PASSPHRASE": "planted-key",
    "LACUNA_SECRETS_PASSPHRASE_FD": "7",
    "CREDENTIALS_DIRECTORY": "/run/credentials/planted-key",
    "OTEL_EXPORTER_OTLP_HEADERS": "authorization=planted-key",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "authorization=planted-key",
}


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


def _secrets_of(pid: int) -> list[bytes]:
    environment = Path(f"/proc/{pid}/environ")
    if not environment.exists():
        pytest.skip("this system does not tell a process's environment")
    deadline = time.monotonic() + PATIENCE
    while not (text := environment.read_bytes()) and time.monotonic() < deadline:
        time.sleep(0.01)  # the kernel shows none until the program is in its place
    names = [each.partition(b"=")[0].decode() for each in text.split(b"\0")]
    assert "PYTHONPATH" in names  # it has come as far as the program
    return [name.encode() for name in names if name in SECRETS]


def test_all_but_keys_is_handed_on() -> None:
    plain = {"PATH": "/bin", "HF_HOME": "/models", "LACUNA_CONFIG": "/c", "LACUNA_VAULT": "/v"}
    handed_on = child_environment({**plain, **SECRETS, "PYTHONPATH": "/mine"})
    here, _, users = handed_on.pop("PYTHONPATH").rpartition(os.pathsep)
    assert handed_on == plain
    assert (Path(here) / "daemon" / "child_environment.py").is_file()
    assert users == "/mine"


@pytest.mark.usefixtures("planted")
def test_a_child_that_embeds_sees_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder_module, "_WORKER", "tests.fakes.embed_child")
    embedder = ChildEmbedder("any", idle_seconds=600, backend="auto")
    try:
        embedder.embed(["a"])
        assert embedder.pid is not None
        assert _secrets_of(embedder.pid) == []
    finally:
        embedder.close()


@pytest.mark.usefixtures("planted")
def test_a_child_that_parses_sees_no_key() -> None:
    child = Child(SimpleQueue(), Path())
    try:
        assert _secrets_of(child.pid) == []
    finally:
        child.end()


@pytest.mark.usefixtures("planted")
def test_a_child_that_looks_at_the_vault_sees_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = [sys.executable, "-c", "import os, sys; sys.exit(' '.join(os.environ))"]
    monkeypatch.setattr(child_module, "command", lambda *_, **__: says)
    vault = IndexedVault(tmp_path)
    try:
        with pytest.raises(LacunaError) as error:
            AnalysisChild()(
                vault.notes, AnalysisOptions("fake", 0.8, 365, datetime(2026, 11, 22, tzinfo=UTC))
            )
    finally:
        vault.db.close()
    reported = str(error.value).split()
    assert "PYTHONPATH" in reported
    assert SECRETS.keys().isdisjoint(reported)


HOLDING = """
import ctypes, os, sys, subprocess
from daemon.child_environment import WITH_KEYS, hold_keys
from daemon.adapters.secrets import KeyringSecrets

hold_keys()
assert "LACUNA_BRAVE_API_KEY" not in os.environ
assert KeyringSecrets().get("brave") == "planted-key"
assert KeyringSecrets().where("brave") == "environment"
assert os.environ["LACUNA_VAULT"] == WITH_KEYS["LACUNA_VAULT"] == "/v"
if sys.platform == "linux":  # else another process of this user reads it from the memory
    assert ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0  # PR_GET_DUMPABLE
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_keys_are_in_memory_and_in_no_environment_that_can_be_read() -> None:
    environment = {**os.environ, **SECRETS, "LACUNA_VAULT": "/v", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        place = Path(f"/proc/{holder.pid}/environ")
        assert place.stat().st_uid == 0  # and not the user's, whose other programs could read it
        shown = place.read_bytes() if os.geteuid() == 0 else b"LACUNA_VAULT"
        assert b"planted-key" not in shown
        assert b"LACUNA_VAULT" in shown
        holder.kill()


def test_the_program_holds_its_keys_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    monkeypatch.setattr("daemon.cli.own_process.begin", lambda: steps.append("keys"))
    monkeypatch.setattr("daemon.cli._invoke", lambda: steps.append("command"))
    main()
    assert steps == ["keys", "command"]
