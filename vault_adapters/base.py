"""What every vault adapter offers."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from vault_adapters.note import Link, Note, Scan, VaultFile


class VaultError(Exception):
    """A vault or a file in it cannot be read. The message is one line that a user can act on."""


class VaultNotFoundError(VaultError):
    """There is no such folder."""


class NotAFolderError(VaultError):
    """The vault's path leads to a file."""


class UnreadableVaultError(VaultError):
    """The folder is there, but may not be looked into."""


class EmptiedVaultError(VaultError):
    """The folder is there, but all of the many files that were in it are gone at once."""


class NoteError(VaultError):
    """A file could not be read as a note: vanished, not permitted, a directory."""


class Resolver(Protocol):
    """Knows all paths of a vault, and where a link in one of them leads. Pure."""

    def resolve(self, link: Link, source: str) -> str | None:
        """Return the vault-relative path that `link` in the note `source` leads to, or None."""
        ...


class VaultAdapter(Protocol):
    """Reads one kind of vault; never writes."""

    @property
    def name(self) -> str: ...

    @property
    def root(self) -> Path: ...

    @property
    def reads_as(self) -> str:
        """The kind of vault, and those of its settings that say how notes are read.

        When it is another than before, every note has to be read anew.
        """
        ...

    def scan(self) -> Scan:
        """Look at every file (stat only); skips what the tool hides and what sync tools leave.

        Raises VaultError when the vault itself cannot be looked into.
        """
        ...

    def ignores(self, path: str) -> bool:
        """Whether a vault-relative path is never part of the vault (for the watcher)."""
        ...

    def load(self, path: str) -> bytes:
        """Read a file's bytes, so that they can be compared before they are parsed.

        Raises NoteError.
        """
        ...

    def parse(self, path: str, data: bytes) -> Note:
        """Parse one note or canvas; whatever it holds is no error."""
        ...

    def read(self, path: str) -> Note:
        """Read and parse one note or canvas. Raises NoteError; whatever it holds is no error."""
        ...

    def resolver(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Resolver:
        """Build a resolver over all paths of the vault, attachments too.

        `names` are the `Note.names` of those notes that have some, by path.
        """
        ...

    def link_names(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Mapping[str, str] | None:
        """Return what stands in a wikilink to each note, by path, if it has a name of its own.

        None when links call notes by their files' names, or by their paths where these are not
        unique. A note that is left out can be linked by its path only. See `wikilink.Linker`.
        """
        ...


@runtime_checkable
class Glancing(Protocol):
    """An adapter that can look at a few files by themselves."""

    def glance(self, paths: Iterable[str]) -> tuple[VaultFile, ...] | None:
        """Look at these files only: each as a scan would see it.

        None when one of them is no plain file that keeps its name; then only a scan tells.
        """
        ...
