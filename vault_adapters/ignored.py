"""Files that lie in a vault but are not of it: hidden ones, and what other programs leave."""

import re

# Vim's probe, Emacs' autosave, backups, Office locks, what sync programs are not done with, and
# what Synology keeps beside each folder.
_LEFT = re.compile(
    r"4913|#.*#|.*~|~\$.*|~syncthing~.*\.tmp|.*\.icloud|.*\.(?:part|crdownload|filepart|!sync)|@eaDir",
    re.DOTALL,
)

_EVICTED = re.compile(r"\.(.+)\.icloud", re.DOTALL)


def is_ignored(path: str) -> bool:
    """Whether a vault-relative path (or a single name) is never part of the vault.

    Hidden files and folders (`.obsidian`, `.git`, `.trash`, `.stversions`, temporary files) are
    not, as in Obsidian, and neither is what editors and sync programs leave for a moment.
    """
    if "/" in path:
        return any(map(is_ignored, path.split("/")))
    if path.endswith(".md") and path[0] not in ".~":  # as nearly all are: none of the above
        return False
    return path.startswith(".") or _LEFT.fullmatch(path) is not None


def evicted_name(name: str) -> str:
    """Return the name of the file that a placeholder (`.Note.md.icloud`) stands for, or ""."""
    found = _EVICTED.fullmatch(name)
    return found[1] if found else ""
