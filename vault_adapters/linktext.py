"""Parse the text of a link, between the brackets. Pure."""

import re
import unicodedata
from urllib.parse import unquote

# Contains neither `[[` nor `]]` nor a line end; a single bracket is allowed (`[[1,3],[2]]`).
WIKILINK = r"\[\[(?:[^\[\]\n]|\[(?!\[)|\](?!\]))++\]\]"

_WHOLE = re.compile(WIKILINK)
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " "})
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:|//")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")


def split_target(linktext: str) -> tuple[str, str]:
    """Return the part before the first `#`, trimmed, and the rest with its `#`.

    The target is in NFC with plain spaces, as paths are compared.
    """
    target, mark, subpath = linktext.partition("#")
    if not target.isascii():
        target = unicodedata.normalize("NFC", target.translate(_SPACES))
    return target.strip(), (mark + subpath).rstrip()


def split_wikilink(source: str) -> tuple[str, str, str | None]:
    """Return target, subpath and display text of `[[source]]`.

    A `|` at the start is part of the target; `\\|`, as used in tables, separates like `|`.
    """
    bar = source.find("|", 1)
    if bar < 0:
        return (*split_target(source), None)
    linktext = source[:bar].removesuffix("\\")
    return (*split_target(linktext), source[bar + 1 :].strip())


def whole_wikilink(text: str) -> tuple[str, str, str | None] | None:
    """Return the parts of `text` if all of it is one wikilink, as properties require."""
    text = text.strip()
    if not text.startswith("[[") or not _WHOLE.fullmatch(text):
        return None
    return split_wikilink(text[2:-2])


def split_destination(destination: str) -> tuple[str, str] | None:
    """Return target and subpath of a Markdown link's destination, None if it is external.

    Percent signs are decoded before the first `#` is searched for, as in Obsidian.
    """
    if not destination or _SCHEME.match(destination):
        return None
    return split_target(_decode(destination))


def split_path(destination: str) -> tuple[str, str] | None:
    """Return target and subpath of a destination that is a path, None if it is external.

    As in any URL the `#` comes first: `C%23.md#part` is a part of `C#.md`.
    """
    if not destination or _SCHEME.match(destination):
        return None
    path, mark, part = destination.partition("#")
    target = _decode(path)
    if not target.isascii():
        target = unicodedata.normalize("NFC", target)
    return target.strip(), (mark + _decode(part)).rstrip()


def _decode(destination: str) -> str:
    if "%" not in destination:
        return destination
    try:
        return unquote(destination, errors="strict")
    except UnicodeDecodeError:
        return destination
