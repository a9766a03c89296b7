"""Open documents that are ZIP archives within limits, and parse their XML without following
references.
"""

import re
import zipfile
from io import BytesIO
from posixpath import normpath
from typing import Any

from lxml import etree

from daemon.model.errors import ExtractError

MAX_ENTRIES = 20_000
MAX_TOTAL = 400_000_000  # bytes of all entries together: ten times a large picture book
MAX_ENTRY = 50_000_000
_RATIO = 200  # of an archive larger than SMALL: text deflates to about a tenth
_SMALL = 20_000_000


class Archive:
    """The entries of an archive. Raises ExtractError for a broken one or a bomb."""

    def __init__(self, body: bytes, kind: str) -> None:
        self._kind = kind
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError):
            raise ExtractError(f"the {kind} is broken") from None
        entries = self._zip.infolist()
        total = sum(entry.file_size for entry in entries)
        is_bomb = total > _SMALL and total > _RATIO * len(body)
        if len(entries) > MAX_ENTRIES or total > MAX_TOTAL or is_bomb:
            raise ExtractError(f"the {kind} unpacks to more data than a document should")
        self._names = {entry.filename: entry for entry in entries}

    def __contains__(self, name: str) -> bool:
        return normpath(name) in self._names

    def named(self, pattern: re.Pattern[str]) -> str | None:
        """Return the name of the first entry in which a pattern is found, or None."""
        return next((name for name in self._names if pattern.search(name)), None)

    def read(self, name: str, most: int = MAX_ENTRY) -> bytes:
        """Return an entry. Raises ExtractError when it is missing, larger than `most` or broken."""
        entry = self._names.get(normpath(name))
        if entry is None:
            raise ExtractError(f"the {self._kind} is broken: {name} is missing")
        if entry.file_size > most:
            raise ExtractError(f"the {self._kind} unpacks to more data than a document should")
        try:
            return self._zip.read(entry)
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError):
            raise ExtractError(f"the {self._kind} is encrypted or broken") from None

    def xml(self, name: str) -> Any:
        """Return the root element of an XML entry. Raises ExtractError."""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        try:
            return etree.fromstring(self.read(name), parser)
        except (etree.XMLSyntaxError, ValueError):
            raise ExtractError(f"the {self._kind} is broken: {name} is not XML") from None


def texts(root: Any, name: str) -> list[str]:
    """Return the text of each element with that local name, in order, without blank ones."""
    found = root.xpath(".//*[local-name()=$name]", name=name)
    return [text for each in found if (text := " ".join("".join(each.itertext()).split()))]
