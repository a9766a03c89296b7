"""A vault that Obsidian keeps."""

from dataclasses import replace
from pathlib import Path

from vault_adapters.folder import FolderAdapter
from vault_adapters.obsidian_settings import ObsidianSettings, read_settings
from vault_adapters.roles import Roles, exclusions


class ObsidianAdapter(FolderAdapter):
    """Reads a vault as Obsidian does. Its settings are read anew with every scan.

    Templates, daily notes and excluded files are those that the settings of Obsidian, Templater
    and Periodic Notes name, besides the folders given here.
    """

    name = "obsidian"
    plain = False

    @staticmethod
    def keeps(root: Path) -> bool:
        """Whether the folder is such a vault, or one lies directly in it.

        In a repository the notes are often one folder down (`content/.obsidian`); opened from
        outside, their links still are what Obsidian makes of them.
        """
        return (root / ".obsidian").is_dir() or next(root.glob("*/.obsidian/"), None) is not None

    def settings(self) -> ObsidianSettings:
        """What the vault's own settings say now."""
        return read_settings(self.root)

    def roles(self) -> Roles:
        """What is what in the vault, by its own settings too."""
        roles, settings = super().roles(), self.settings()
        return replace(
            roles,
            templates=roles.templates + settings.templates,
            daily=roles.daily + settings.daily,
            excluded=roles.excluded + exclusions(settings.ignore_filters),
        )
