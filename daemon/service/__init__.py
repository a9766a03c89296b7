"""Keep the daemon running: one service per vault, in the user's own service manager."""

import sys

from daemon.service.launchd import Launchd
from daemon.service.manager import Place, Service, ServiceError, State
from daemon.service.systemd import Systemd

__all__ = ["Place", "Service", "ServiceError", "State", "service_of"]


def service_of(name: str, *, platform: str = sys.platform) -> Service:
    """Return the service of the vault whose state folder is named `name`."""
    return Launchd(name) if platform == "darwin" else Systemd(name)
