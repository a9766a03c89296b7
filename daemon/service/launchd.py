"""The daemon as a launchd user agent on macOS: launchd.plist(5)."""

import os
import plistlib
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.service.manager import Place, ServiceError, State, arguments_of, running_command

_LOG = "daemon.log"
_NOT_INSTALLED = 113  # exit code of launchctl for an unknown label
_STATE = re.compile(r"^\s*state = (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Launchd:
    """The agent of one vault: one property list in the user's LaunchAgents folder."""

    name: str

    @property
    def label(self) -> str:
        return f"lacuna.{self.name}"

    @property
    def path(self) -> Path:
        return Path.home() / "Library" / "LaunchAgents" / f"{self.label}.plist"

    def require(self) -> None:
        _find_launchctl()

    def install(self, place: Place) -> tuple[Path, ...]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(plistlib.dumps(agent(self.label, place, running_command())))
        except OSError as error:
            raise ServiceError(f"{error.filename}: {error.strerror}") from None
        # Restart a running one with the new file.
        _run("bootout", f"{_domain()}/{self.label}")
        _launchctl("bootstrap", _domain(), str(self.path))
        return (self.path,)

    def uninstall(self) -> bool:
        if not self.path.exists():
            return False
        answer = _run("bootout", f"{_domain()}/{self.label}")
        if answer.returncode not in (0, _NOT_INSTALLED):
            raise ServiceError(f"launchctl bootout: {_reason(answer)}")
        try:
            self.path.unlink()
        except OSError as error:
            raise ServiceError(f"{error.filename}: {error.strerror}") from None
        return True

    def reload(self) -> None:
        _launchctl("kill", "SIGHUP", f"{_domain()}/{self.label}")

    def state(self) -> State:
        _find_launchctl()
        if not self.path.exists():
            return State(installed=False, status="not installed")
        answer = _run("print", f"{_domain()}/{self.label}")
        found = _STATE.search(answer.stdout)
        return State(installed=True, status=found.group(1).strip() if found else "not loaded")

    def names(self, *folders: Path) -> bool:
        try:
            arguments = plistlib.loads(self.path.read_bytes())["ProgramArguments"]
        except (OSError, KeyError, ValueError):
            return False
        vault, *others = folders  # launchd does not restrict writing
        return str(vault) in arguments and any(str(folder) in arguments for folder in others)

    def logs(self, lines: int, *, follow: bool) -> list[str]:
        if not self.path.exists():
            raise ServiceError("the service is not installed: `lacuna service install`")
        try:
            log = plistlib.loads(self.path.read_bytes())["StandardErrorPath"]
        except (OSError, KeyError, ValueError) as error:
            raise ServiceError(f"{self.path}: {error}") from None
        return ["/usr/bin/tail", "-n", str(lines), *(["-F"] if follow else []), log]


def agent(label: str, place: Place, command: Path) -> dict[str, Any]:
    """Define what to run and how: from login on, restarted after a failure, in the background."""
    return {
        "Label": label,
        "ProgramArguments": [str(command), *arguments_of(place)],
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
        "ExitTimeOut": 30,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "Umask": 0o022,
        "StandardOutPath": "/dev/null",
        "StandardErrorPath": str(place.state / _LOG),
        "WorkingDirectory": "/",
    }


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _find_launchctl() -> str:
    launchctl = shutil.which("launchctl")
    if launchctl is None:
        raise ServiceError("launchctl not found: start `lacuna run` from another service manager")
    return launchctl


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [_find_launchctl(), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _launchctl(*arguments: str) -> None:
    answer = _run(*arguments)
    if answer.returncode != 0:
        raise ServiceError(f"launchctl {arguments[0]}: {_reason(answer)}")


def _reason(answer: subprocess.CompletedProcess[str]) -> str:
    lines = answer.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit code {answer.returncode}"
