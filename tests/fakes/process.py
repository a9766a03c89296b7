"""The real `lacuna`, started as a child process with settings, state and keyring of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.only_library import ONLY_LIBRARY

ROOT = Path(__file__).resolve().parents[2]
LACUNA = (str(Path(sys.executable).parent / "lacuna"),)
WITHOUT_MODEL = (sys.executable, "-m", "tests.fakes.without_model")
WITH_LIGHT_MODEL = (sys.executable, "-m", "tests.fakes.with_light_model")
WITH_WORDS_CHILD = (sys.executable, "-m", "tests.fakes.with_words_child")
PATIENCE = 120.0  # seconds after which a condition is taken to be never met


@dataclass
class Lacuna:
    """Runs commands and the daemon on one vault. `settings` go into its settings file."""

    vault: Path
    home: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    sources: str = ONLY_LIBRARY
    program: tuple[str, ...] = LACUNA

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        lines = [f"{key} = {json.dumps(value)}" for key, value in self.settings.items()]
        self.config.write_text("\n".join([f"vault = {json.dumps(str(self.vault))}", *lines]))
        # Nothing but the library, so that no test ever reaches for a network.
        self.config.with_name("sources.yaml").write_text(self.sources)

    @property
    def config(self) -> Path:
        return self.home / "config.toml"

    @property
    def state(self) -> Path:
        return self.home / "state"

    @property
    def environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("LACUNA_")}
        return {
            **kept,
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "xdg-config"),
            "XDG_STATE_HOME": str(self.home / "xdg-state"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "HF_HUB_OFFLINE": "1",
            "BROWSER": "true",  # a program that shows nothing
            "TZ": "UTC",
        }

    @property
    def daemon_pid(self) -> int:
        """The pid of the daemon that runs; the process that was started may be its guard."""
        return int((self.state / "daemon.lock").read_text().rpartition(" ")[2])

    def arguments(self, *arguments: str) -> list[str]:
        place = ["--config", str(self.config), "--state", str(self.state)]
        return [*self.program, *arguments, *place]

    def call(self, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.arguments(*arguments),
            input=text,
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE * 3,
            check=False,
        )

    def json(self, *arguments: str) -> Any:
        """Run a command with --json and return what it printed; it must not fail."""
        done = self.call(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def start(self, *arguments: str) -> "Running":
        """Start a command (`run` for the daemon) and leave it running."""
        log = self.home / f"{arguments[0]}.log"
        begun = log.stat().st_size if log.exists() else 0
        with log.open("ab") as file:
            process = subprocess.Popen(
                self.arguments(*arguments),
                env=self.environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                start_new_session=True,
            )
        return Running(process, log, begun)


@dataclass
class Running:
    """A command that is under way."""

    process: subprocess.Popen[bytes]
    log: Path
    begun: int  # where its own lines begin in the log, in bytes

    def wait_until(
        self, condition: Callable[[], Any], what: str, patience: float = PATIENCE
    ) -> Any:
        """Wait until `condition` is true and return what it gave; fail when the process ends."""
        deadline = time.monotonic() + patience
        while True:
            found = condition()
            if found:
                return found
            assert self.process.poll() is None, f"ended while waiting for {what}:\n{self.logged()}"
            assert time.monotonic() < deadline, f"never came to pass: {what}\n{self.logged()}"
            time.sleep(0.05)  # how often the condition is looked at

    def logged(self) -> str:
        """Return what this process has logged; earlier ones may have written to the same file."""
        return self.log.read_bytes()[self.begun :].decode(errors="replace")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """End the process and its children at once, as a power cut would."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
