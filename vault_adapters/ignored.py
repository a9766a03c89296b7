"""Files in a vault's folder that are not part of it: hidden ones, and leftovers of other
programs.
"""

import re

# Vim's probe, Emacs' autosave, backups, Office locks, incomplete files of sync programs, and the
# files that Synology puts next to each folder.
_LEFT = re.compile(
    r"4913|#.*#|.*~|~\$.*|~syncthing~.*\.tmp|.*\.icloud|.*\.(?:part|crdownload|filepart|!sync)|@eaDir",
    re.DOTALL,
)

_EVICTED = re.compile(r"\.(.+)\.icloud", re.DOTALL)


def is_ignored(path: str) -> bool:
    """Return whether a vault-relative path (or a single name) is never part of the vault.

    Hidden files and folders (`.obsidian`, `.git`, `.trash`, `.stversions`, temporary files) are
    not, as in Obsidian, and neither are short-lived files of editors and sync programs.
    """
    if "/" in path:
        return any(map(is_ignored, path.split("/")))
    if path.endswith(".md") and path[0] not in ".~":  # nearly all paths: none of the above
        return False
    return path.startswith(".") or _LEFT.fullmatch(path) is not None


def evicted_name(name: str) -> str:
    """Return the name of the file that a placeholder (`.Note.md.icloud`) replaces, or ""."""
    found = _EVICTED.fullmatch(name)
    return found[1] if found else ""
