"""Whether the inbox was moved as a whole, by the places of its findings. Pure."""

from collections import Counter
from collections.abc import Iterable

from daemon.model.own_notes import is_inside


def new_place(paths: Iterable[tuple[str, str]], *, inbox: str, is_gone: bool) -> str:
    """Return the current folder of the inbox, or "" if it was not moved.

    `paths` are where each finding was last seen, and where it is now. Nothing may be left in the
    inbox, and each must have kept its place within it; if the folder `is_gone`, most of them.
    """
    moved = [(old, new) for old, new in paths if is_inside(old, inbox)]
    if not moved or any(is_inside(new, inbox) for _, new in moved):
        return ""
    places = Counter(_folder(old.removeprefix(inbox), new) for old, new in moved)
    place, number = places.most_common(1)[0]
    is_enough = 2 * number > len(moved) if is_gone else number == len(moved)
    return place if is_enough else ""


def _folder(within: str, new: str) -> str:
    """Return the folder in which a path has the same place `within`, or ""."""
    return new.removesuffix(within) if new.endswith(within) else ""
