"""The plugin for Obsidian in a vault: the one thing that is written outside the inbox.

Only `lacuna obsidian install` writes it, and only its own folder changes. Whether Obsidian turns
it on is a setting of Obsidian's, which stays as it is.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from daemon.inbox.files import InboxFiles
from daemon.model.errors import VaultError
from daemon.model.own_notes import SeenNote
from vault_adapters.own_writes import OwnWrites

ID = "lacuna"
FILES = ("main.js", "manifest.json", "styles.css")
_CONFIG = ".obsidian"
_FOLDER = f"{_CONFIG}/plugins/{ID}"
_ENABLED = "community-plugins.json"


class PluginFolder:
    """The folder of the plugin in the vault at `root`."""

    def __init__(self, root: Path) -> None:
        self._config = root / _CONFIG
        self._files = InboxFiles(root, _FOLDER, OwnWrites())

    def install(self, texts: Mapping[str, str]) -> list[str]:
        """Write the files by name; return the vault-relative paths of those that changed.

        Raises VaultError if this is no vault of Obsidian, or another plugin has the folder.
        """
        if not self._config.is_dir():
            raise VaultError(
                f"there is no folder {_CONFIG} in {self._config.parent}: open the vault in "
                "Obsidian once, then install the plugin"
            )
        self._check_owner()
        written = []
        for name in FILES:
            seen = self._files.check(_path(name))
            if seen is None:
                self._files.create(_path(name), texts[name], ID)
            elif seen.text == texts[name]:
                continue
            elif self._files.rewrite(seen, texts[name]) is None:
                raise VaultError(f"{seen.path} is being changed: run the command again")
            written.append(_path(name))
        return written

    def remove(self) -> list[str]:
        """Delete what `install` writes; return its paths. The plugin's settings stay."""
        self._check_owner()
        seen = list(self._present())
        for each in seen:
            self._files.remove(each)
        return [each.path for each in seen]

    def version(self) -> str | None:
        """Return the installed version, or None. Raises VaultError."""
        seen = self._files.check(_path("manifest.json"))
        manifest = _object(seen.text) if seen is not None else {}
        return str(manifest.get("version", "")) if manifest.get("id") == ID else None

    def is_enabled(self) -> bool:
        """Return whether Obsidian's settings turn the plugin on."""
        try:
            enabled = json.loads((self._config / _ENABLED).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False  # no plugin was ever turned on
        return isinstance(enabled, list) and ID in enabled

    def _present(self) -> Iterator[SeenNote]:
        for name in FILES:
            seen = self._files.check(_path(name))
            if seen is not None:
                yield seen

    def _check_owner(self) -> None:
        """Raise VaultError if another plugin is in the folder."""
        seen = self._files.check(_path("manifest.json"))
        if seen is not None and _object(seen.text).get("id") != ID:
            raise VaultError(f"{_FOLDER} contains another plugin: it was not changed")


def _path(name: str) -> str:
    return f"{_FOLDER}/{name}"


def _object(text: str) -> dict[str, object]:
    """Return a JSON object; empty if it is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
