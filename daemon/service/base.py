"""What every service manager is asked for."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from daemon.model.errors import LacunaError


class ServiceError(LacunaError):
    """The service manager is not there, or refused."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the service works on: absolute paths. Settings may be all defaults: no `config`.

    `others` may be written to besides the inbox and the state, if they are there.
    """

    vault: Path
    inbox: Path
    state: Path
    config: Path | None
    others: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """Whether the service is installed, and what the service manager says of it, in one word."""

    installed: bool
    status: str


class Service(Protocol):
    """The daemon of one vault, as the user's service manager keeps it. All raise ServiceError."""

    def require(self) -> None:
        """Fail when there is no service manager of the user's to talk to."""
        ...

    def install(self, place: Place) -> tuple[Path, ...]:
        """Write what it needs, enable it and (re)start it; return what was written."""
        ...

    def uninstall(self) -> bool:
        """Stop it and take its files away; return whether there were any."""
        ...

    def reload(self) -> None:
        """Have it read its settings anew."""
        ...

    def state(self) -> State:
        """Look how it is."""
        ...

    def names(self, *folders: Path) -> bool:
        """Whether what is installed was made for these very folders."""
        ...

    def logs(self, lines: int, *, follow: bool) -> list[str]:
        """Return the command that prints the last lines of its log."""
        ...


def arguments_of(place: Place) -> list[str]:
    """Return the arguments of `lacuna` that run this very vault with these very settings."""
    arguments = ["run", "--vault", str(place.vault), "--state", str(place.state)]
    return arguments if place.config is None else [*arguments, "--config", str(place.config)]


def running_command() -> Path:
    """Return the `lacuna` that runs now, so that the service runs the very same."""
    called = Path(sys.argv[0]).absolute()
    beside = Path(sys.executable).with_name("lacuna")
    return called if called.name == "lacuna" and called.is_file() else beside
