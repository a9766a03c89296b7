"""Channels for notifying the user outside the vault.

To add one, add a file with a `build`, and a line in `CHANNELS`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.adapters.notify import desktop, ntfy, webhook
from daemon.adapters.notify.channel import ChannelSettings, posting
from daemon.ports import Notifier

__all__ = ["CHANNELS", "Channel", "ChannelSettings", "build_notifiers", "posting"]


@dataclass(frozen=True, slots=True)
class Channel:
    """`build` creates it from the settings, or returns None if it is off; `key` is the name of its
    secret.
    """

    name: str
    build: Callable[[ChannelSettings], Notifier | None]
    key: str = ""


CHANNELS: tuple[Channel, ...] = (
    Channel("desktop", desktop.build),
    Channel("ntfy", ntfy.build, key=ntfy.KEY),
    Channel("webhook", webhook.build, key=webhook.KEY),
)


def build_notifiers(channels: ChannelSettings) -> dict[str, Notifier]:
    """Create the enabled channels, by name."""
    built = {channel.name: channel.build(channels) for channel in CHANNELS}
    return {name: notifier for name, notifier in built.items() if notifier is not None}
