"""Installing the daemon as a systemd user service."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_config_path

from daemon.config import packaged
from daemon.model.errors import LacunaError

UNIT = "lacuna.service"
_ODD = frozenset("'\"\\")
_LAST_SIGN_OF_CONTROL = "\x1f"


class ServiceError(LacunaError):
    """The service manager is not there, or refused."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the service works on: absolute paths. Settings may be all defaults: no `config`."""

    vault: Path
    inbox: Path
    state: Path
    config: Path | None


@dataclass(frozen=True, slots=True)
class State:
    """Whether the service is installed, and what the service manager says of it, in one word."""

    installed: bool
    status: str


def require() -> None:
    """Raises ServiceError when there is no service manager of the user's to talk to."""
    _systemctl("daemon-reload")


def install(place: Place) -> tuple[Path, ...]:
    """Write the unit and its drop-in, then enable and (re)start it; return what was written."""
    unit, drop_in = _unit(), _unit().with_name(f"{UNIT}.d") / "vault.conf"
    text = drop_in_text(place, running_command())
    try:
        drop_in.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(packaged("systemd") / UNIT, unit)
        drop_in.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ServiceError(f"{error.filename}: {error.strerror}") from None
    _systemctl("daemon-reload")
    _systemctl("enable", UNIT)
    # One that runs already is to take up what was written now. The first index may take long.
    _systemctl("restart", "--no-block", UNIT)
    return unit, drop_in


def uninstall() -> bool:
    """Stop the service and take its files away; return whether there were any."""
    unit = _unit()
    if not unit.exists():
        return False
    _systemctl("disable", "--now", UNIT)
    try:
        shutil.rmtree(unit.with_name(f"{UNIT}.d"), ignore_errors=True)
        unit.unlink()
    except OSError as error:
        raise ServiceError(f"{error.filename}: {error.strerror}") from None
    _systemctl("daemon-reload")
    return True


def state() -> State:
    """Look how the service is. Raises ServiceError when nobody can say."""
    _find_systemctl()
    if not _unit().exists():
        return State(installed=False, status="not installed")
    answer = _run("is-active", UNIT)
    if not answer.stdout.strip():
        raise ServiceError(_reason(answer))
    return State(installed=True, status=answer.stdout.strip())


def running_command() -> Path:
    """Return the `lacuna` that runs now, so that the service runs the very same."""
    called = Path(sys.argv[0]).absolute()
    beside = Path(sys.executable).with_name("lacuna")
    return called if called.name == "lacuna" and called.is_file() else beside


def drop_in_text(place: Place, command: Path) -> str:
    """Say what to run, and which two folders it may write to."""
    # systemd refuses quotes in a program's name, and reads `$` as itself only there.
    begin = [quoted(str(command))]
    if _ODD.intersection(str(command)):
        begin = ["/usr/bin/env", quoted(str(command)).replace("$", "$$")]
    arguments = ["run", "--vault", str(place.vault), "--state", str(place.state)]
    if place.config is not None:
        arguments += ["--config", str(place.config)]
    start = " ".join([*begin, *(quoted(part).replace("$", "$$") for part in arguments)])
    writable = " ".join(quoted(str(path)) for path in (place.inbox, place.state))
    return (
        "# Written by `lacuna service install`; run it again when the vault or the inbox changes.\n"
        f"[Service]\nExecStart=\nExecStart={start}\nReadWritePaths={writable}\n"
    )


def quoted(text: str) -> str:
    """Write one word as systemd.syntax(7) reads it. Raises ServiceError for control characters."""
    if any(character <= _LAST_SIGN_OF_CONTROL for character in text):
        raise ServiceError(f"{text!r} cannot be named in a service: it holds control characters")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _unit() -> Path:
    return user_config_path("systemd") / "user" / UNIT


def _find_systemctl() -> str:
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        raise ServiceError(
            "no systemd here: start `lacuna run` from whatever starts programs on this machine"
        )
    return systemctl


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [_find_systemctl(), "--user", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _systemctl(*arguments: str) -> None:
    answer = _run(*arguments)
    if answer.returncode != 0:
        raise ServiceError(f"systemctl --user {' '.join(arguments)}: {_reason(answer)}")


def _reason(answer: subprocess.CompletedProcess[str]) -> str:
    said = answer.stderr.strip().splitlines()
    return said[-1] if said else f"it ended with exit code {answer.returncode}"
