"""The service that keeps the daemon of a vault running."""

from pydantic import Field

from daemon.service import Place as ServicePlace
from daemon.service import Service, service_of
from daemon.usecases.confining import prepare_folders
from daemon.usecases.document import Document
from daemon.usecases.opening import opened
from daemon.usecases.place import Place, name_of, settings_file


class InstalledService(Document):
    """The files of a service that was installed."""

    written: tuple[str, ...] = Field(description="Paths of the files that were written.")


class RemovedService(Document):
    """Whether there was a service."""

    removed: bool = Field(description="Whether there was a service.")


class RequestedReload(Document):
    """The service manager was asked to reload the service."""

    asked: bool = Field(default=True, description="Always true: the service manager was asked.")


class ServiceState(Document):
    """Whether the service is installed, and its state as the service manager reports it."""

    installed: bool = Field(description="Whether the service is installed.")
    status: str = Field(
        description="Its state in the words of the service manager.", examples=["active (running)"]
    )


def require(place: Place) -> None:
    """Raise ServiceError if this system cannot run a service; SettingsError."""
    _service(place).require()


def install(place: Place) -> InstalledService:
    """Create the folders that the service writes to, write its files, and start it.

    Raises LacunaError, VaultError.
    """
    wanted = _service(place)
    wanted.require()
    config = settings_file(place)
    with opened(place) as app:
        app.review.inbox.files.make_folder()  # otherwise systemd could not make it writable
        writable = prepare_folders(app.settings, has_copies=False)
        works_on = ServicePlace(
            vault=app.adapter.root,
            inbox=app.adapter.root / app.settings.inbox.folder,
            state=app.state,
            config=config if config.is_file() else None,
            others=writable.others if writable else (),
        )
    return InstalledService(written=tuple(map(str, wanted.install(works_on))))


def uninstall(place: Place) -> RemovedService:
    """Stop the service and remove its files; the vault itself may be gone. Raises LacunaError."""
    return RemovedService(removed=_service(place).uninstall())


def reload(place: Place) -> RequestedReload:
    """Have the service reload its settings. Raises LacunaError."""
    _service(place).reload()
    return RequestedReload()


def state(place: Place) -> ServiceState:
    """Return whether the service runs. Raises LacunaError."""
    found = _service(place).state()
    return ServiceState(installed=found.installed, status=found.status)


def log_command(place: Place, lines: int, *, follow: bool) -> list[str]:
    """Return the command that prints the last lines of the service's log. Raises LacunaError."""
    return _service(place).logs(lines, follow=follow)


def _service(place: Place) -> Service:
    return service_of(name_of(place))
