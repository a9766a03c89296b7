"""An Obsidian vault."""

from dataclasses import replace
from pathlib import Path

from vault_adapters.folder import FolderAdapter
from vault_adapters.obsidian_settings import ObsidianSettings, read_settings
from vault_adapters.roles import Roles, exclusions


class ObsidianAdapter(FolderAdapter):
    """Reads a vault as Obsidian does. Reads its settings again with every scan.

    Templates, daily notes and excluded files are those in the settings of Obsidian, Templater and
    Periodic Notes, besides the folders given here.
    """

    name = "obsidian"
    plain = False

    @staticmethod
    def keeps(root: Path) -> bool:
        """Return whether the folder is such a vault, or directly contains one.

        In a repository the notes are often one folder down (`content/.obsidian`); opened from
        outside, their links are still Obsidian's.
        """
        return (root / ".obsidian").is_dir() or next(root.glob("*/.obsidian/"), None) is not None

    def settings(self) -> ObsidianSettings:
        """Return the vault's current settings."""
        return read_settings(self.root)

    def roles(self) -> Roles:
        """Return the role of each file, also by the vault's own settings."""
        roles, settings = super().roles(), self.settings()
        return replace(
            roles,
            templates=roles.templates + settings.templates,
            daily=roles.daily + settings.daily,
            excluded=roles.excluded + exclusions(settings.ignore_filters),
        )
