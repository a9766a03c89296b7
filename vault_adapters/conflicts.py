"""Copies that sync programs create when a file was edited in two places."""

import re

# How each program names the copy. iCloud's `name 2.md` and OneDrive's `name-COMPUTER.md` are not
# included: people name notes like that, too.
_NAMES = (
    r"\.sync-conflict-\d{8}-\d{6}",  # Syncthing
    r"\([^()]*conflicted copy[^()]*\)",  # Dropbox, Nextcloud, ownCloud, Obsidian Sync
    r"\([^()]*(?:en conflit|en conflicto|in conflitto|konflikt)[^()]*\d{4}-\d\d-\d\d[^()]*\)",
    r"\((?:Case Conflict|Unsynced copy)[^()]*\)",  # Dropbox
    r"\(conflict \d{4}-\d\d-\d\d",
    r"\(SFConflict [^()]*\d{4}-\d\d-\d\d[^()]*\)",  # Seafile
    r"_[A-Z][a-z]{2}-\d\d-\d{6}-\d{4}_Conflict(?=\.|/|\Z)",  # Synology Drive
    r"\.conflict\d+(?=\.|/|\Z)",  # rclone bisync
)
_CONFLICT = re.compile("|".join(_NAMES), re.IGNORECASE)


def is_conflict(path: str) -> bool:
    """Return whether a vault-relative path is such a copy, or is in the copy of a folder."""
    # Every pattern contains some of these letters, and almost no path does.
    lower = path.lower()
    is_likely = "onfli" in lower or "(unsynced" in lower
    return is_likely and _CONFLICT.search(path) is not None
