"""The plugin for Obsidian: copied into a vault on request, and removed again."""

import json

from pydantic import Field

from daemon.app import App
from daemon.config import packaged
from daemon.inbox.plugin import FILES, PluginFolder
from daemon.model.errors import LacunaError
from daemon.usecases.document import Document
from daemon.usecases.web_access import access_token


class PluginChange(Document):
    """The files of the plugin that were written or deleted."""

    files: tuple[str, ...] = Field(
        description="Vault-relative paths; empty: nothing had to change.",
        examples=[(".obsidian/plugins/lacuna/main.js",)],
    )


class PluginState(Document):
    """Whether the plugin is in the vault."""

    installed: str | None = Field(
        description="Its version; null: it is not in the vault.", examples=["0.1.0"]
    )
    available: str = Field(description="The version that this Lacuna installs.", examples=["0.1.0"])
    enabled: bool = Field(description="Whether it is turned on in Obsidian.", examples=[True])


class PluginToken(Document):
    """What the plugin needs to connect."""

    token: str = Field(
        description="The token of the REST interface, 256 bits in hexadecimal.",
        examples=["9f2c" * 16],
    )


def install(app: App) -> PluginChange:
    """Copy the plugin into the vault. Raises LacunaError, VaultError."""
    return PluginChange(files=tuple(PluginFolder(app.adapter.root).install(_packaged())))


def remove(app: App) -> PluginChange:
    """Delete the files of the plugin; its settings stay. Raises VaultError."""
    return PluginChange(files=tuple(PluginFolder(app.adapter.root).remove()))


def state(app: App) -> PluginState:
    """Return whether the plugin is installed, and in which version. Raises LacunaError."""
    plugin = PluginFolder(app.adapter.root)
    return PluginState(
        installed=plugin.version(),
        available=str(json.loads(_packaged()["manifest.json"])["version"]),
        enabled=plugin.is_enabled(),
    )


def token(app: App) -> PluginToken:
    """Return the token to paste into the plugin's settings. Raises LacunaError."""
    return PluginToken(token=access_token(app))


def _packaged() -> dict[str, str]:
    folder = packaged("obsidian")
    try:
        return {name: (folder / name).read_text(encoding="utf-8") for name in FILES}
    except OSError as error:
        raise LacunaError(
            f"this installation lacks the plugin ({error.strerror}: {error.filename}): "
            "install Lacuna again"
        ) from None
