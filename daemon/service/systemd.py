"""The daemon as a systemd user service: `lacuna@<vault>.service`."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_config_path

from daemon.config import packaged
from daemon.service.manager import Place, ServiceError, State, arguments_of, running_command

UNIT = "lacuna.service"
_ODD = frozenset("'\"\\")
_LAST_SIGN_OF_CONTROL = "\x1f"
_KNOWS_RELOAD = 253  # Type=notify-reload: `systemctl reload` waits until it is done
_KNOWS_STEPS = 254  # RestartSteps: each restart in a row waits longer


@dataclass(frozen=True, slots=True)
class Systemd:
    """The unit of one vault: a copy of ours, and a drop-in that names the vault."""

    name: str

    @property
    def unit(self) -> str:
        return f"lacuna@{self.name}.service"

    @property
    def path(self) -> Path:
        return user_config_path("systemd") / "user" / self.unit

    @property
    def drop_in(self) -> Path:
        return self.path.with_name(f"{self.unit}.d") / "vault.conf"

    def require(self) -> None:
        _systemctl("daemon-reload")

    def install(self, place: Place) -> tuple[Path, ...]:
        text = drop_in_text(place, running_command(), _version())
        try:
            self.drop_in.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(packaged("systemd") / UNIT, self.path)
            self.drop_in.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ServiceError(f"{error.filename}: {error.strerror}") from None
        _systemctl("daemon-reload")
        _systemctl("enable", self.unit)
        # Restart a running one with the new files. The first index may take long.
        _systemctl("restart", "--no-block", self.unit)
        return self.path, self.drop_in

    def uninstall(self) -> bool:
        if not self.path.exists():
            return False
        _systemctl("disable", "--now", self.unit)
        try:
            shutil.rmtree(self.drop_in.parent, ignore_errors=True)
            self.path.unlink()
        except OSError as error:
            raise ServiceError(f"{error.filename}: {error.strerror}") from None
        _systemctl("daemon-reload")
        return True

    def reload(self) -> None:
        _systemctl("reload", "--no-block", self.unit)

    def state(self) -> State:
        _find_systemctl()
        if not self.path.exists():
            return State(installed=False, status="not installed")
        answer = _run("is-active", self.unit)
        if not answer.stdout.strip():
            raise _failed("systemctl --user is-active", answer)
        return State(installed=True, status=answer.stdout.strip())

    def names(self, *folders: Path) -> bool:
        try:
            text = self.drop_in.read_text(encoding="utf-8")
        except OSError:
            return False
        return all(_written_in(folder, text) for folder in folders)

    def logs(self, lines: int, *, follow: bool) -> list[str]:
        journalctl = shutil.which("journalctl")
        if journalctl is None:
            raise ServiceError("journalctl not found: read the log where systemd stores it")
        command = [journalctl, "--user", "--unit", self.unit, "--lines", str(lines)]
        return [*command, "--follow" if follow else "--no-pager"]


def drop_in_text(place: Place, command: Path, version: int = 0) -> str:
    """Define what to run and where it may write, for this version of systemd; 0 if unknown."""
    start = _command_line(command, arguments_of(place))
    # `-`: a missing path must not prevent the start. The daemon restarts when the path appears.
    others = [f"-{path}" for path in (place.inbox, *place.others)]
    writable = " ".join(map(quoted, [*others, str(place.state)]))
    lines = [
        "# Written by `lacuna service install`; run it again when the vault or the inbox changes.",
        "[Service]",
        # `+`: the folders are created by a process that may write everywhere.
        f"ExecStartPre=+{start} --prepare",
        "ExecStart=",
        f"ExecStart={start}",
        f"ReadWritePaths={writable}",
    ]
    if version >= _KNOWS_RELOAD:
        lines += ["Type=notify-reload", "ExecReload="]
    if version >= _KNOWS_STEPS:
        lines += ["RestartSec=1", "RestartSteps=8", "RestartMaxDelaySec=5min"]
    return "\n".join(lines) + "\n"


def _command_line(command: Path, arguments: list[str]) -> str:
    # systemd allows no quotes in a program's name, and keeps `$` literal only there.
    begin = [quoted(str(command))]
    if _ODD.intersection(str(command)):
        begin = ["/usr/bin/env", quoted(str(command)).replace("$", "$$")]
    return " ".join([*begin, *(quoted(part).replace("$", "$$") for part in arguments)])


def _written_in(folder: Path, drop_in: str) -> bool:
    plain = quoted(str(folder)).strip('"')
    return any(f'"{shape}"' in drop_in for shape in (plain, f"-{plain}", plain.replace("$", "$$")))


def quoted(text: str) -> str:
    """Quote one word as systemd.syntax(7) reads it. Raises ServiceError for control characters."""
    if any(character <= _LAST_SIGN_OF_CONTROL for character in text):
        raise ServiceError(f"{text!r} cannot be used in a service: it contains control characters")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _version() -> int:
    """Return the version of systemd; 0 if unknown."""
    lines = subprocess.run(
        [_find_systemctl(), "--version"], capture_output=True, text=True, check=False
    )
    found = re.match(r"systemd (\d+)", lines.stdout)
    return int(found[1]) if found else 0


def _find_systemctl() -> str:
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        raise ServiceError("systemctl not found: start `lacuna run` from another service manager")
    return systemctl


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [_find_systemctl(), "--user", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _systemctl(*arguments: str) -> None:
    answer = _run(*arguments)
    if answer.returncode != 0:
        raise _failed(f"systemctl --user {' '.join(arguments)}", answer)


def _failed(command: str, answer: subprocess.CompletedProcess[str]) -> ServiceError:
    """Return what to do if the session has no bus; otherwise systemctl's message."""
    if "connect to bus" in answer.stderr or "connect to user scope bus" in answer.stderr:
        return ServiceError(
            "systemd does not serve this session: it has no user bus, as under sudo, su or a "
            "container. Log in as yourself (after `loginctl enable-linger`, also over SSH) and "
            "try again; or start `lacuna run` from another service manager"
        )
    return ServiceError(f"{command}: {_reason(answer)}")


def _reason(answer: subprocess.CompletedProcess[str]) -> str:
    lines = answer.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit code {answer.returncode}"
