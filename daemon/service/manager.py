"""The interface of a service manager."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from daemon.model.errors import LacunaError


class ServiceError(LacunaError):
    """The service manager is missing or refused."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the service works on: absolute paths. `config` is None if all settings are defaults.

    Besides the inbox and the state, it may write to `others`, if they exist.
    """

    vault: Path
    inbox: Path
    state: Path
    config: Path | None
    others: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The status of the service, in one word, as the service manager reports it."""

    installed: bool
    status: str


class Service(Protocol):
    """The daemon of one vault, run by the user's service manager. All methods raise
    ServiceError.
    """

    def require(self) -> None:
        """Fail if no user service manager is available."""
        ...

    def install(self, place: Place) -> tuple[Path, ...]:
        """Write the service files, enable and (re)start the service; return the files written."""
        ...

    def uninstall(self) -> bool:
        """Stop the service and remove its files; return whether there were any."""
        ...

    def reload(self) -> None:
        """Make it reload its settings."""
        ...

    def state(self) -> State:
        """Return its state."""
        ...

    def names(self, *folders: Path) -> bool:
        """Return whether the installed service was made for exactly these folders."""
        ...

    def logs(self, lines: int, *, follow: bool) -> list[str]:
        """Return the command that prints the end of its log."""
        ...


def arguments_of(place: Place) -> list[str]:
    """Return the arguments of `lacuna` that run this vault with these settings."""
    arguments = ["run", "--vault", str(place.vault), "--state", str(place.state)]
    return arguments if place.config is None else [*arguments, "--config", str(place.config)]


def running_command() -> Path:
    """Return the path of the running `lacuna`, so that the service runs the same one."""
    called = Path(sys.argv[0]).absolute()
    beside = Path(sys.executable).with_name("lacuna")
    return called if called.name == "lacuna" and called.is_file() else beside
