"""Gates to the network, as the settings say."""

from daemon.adapters.fetch import Admit, Gate, identity
from daemon.config import Settings


def gate(
    settings: Settings,
    *,
    allow_origins: tuple[str, ...] = (),
    admit: Admit | None = None,
    share: float = 1.0,
) -> Gate:
    """Make a gate; `share` is that of the time-out in the settings that a fetch may take."""
    return Gate(
        timeout=settings.network.timeout_seconds * share,
        max_bytes=int(settings.network.max_download_mb * 1_000_000),
        allow_origins=allow_origins,
        user_agent=identity(settings.network.contact),
        admit=admit,
    )
