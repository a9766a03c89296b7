"""The interface of a vault adapter."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from vault_adapters.note import Link, Note, Scan, VaultFile


class VaultError(Exception):
    """A vault or a file in it cannot be read. The message is one line that tells the user what to
    do.
    """


class VaultNotFoundError(VaultError):
    """The folder does not exist."""


class NotAFolderError(VaultError):
    """The vault's path leads to a file."""


class UnreadableVaultError(VaultError):
    """The folder exists, but may not be listed."""


class EmptiedVaultError(VaultError):
    """The folder exists, but all of its many files have disappeared at once."""


class NoteError(VaultError):
    """A file could not be read as a note: vanished, not permitted, a directory."""


class Resolver(Protocol):
    """Knows all paths of a vault, and the targets of links. Pure."""

    def resolve(self, link: Link, source: str) -> str | None:
        """Return the vault-relative path that `link` in the note `source` points to, or None."""
        ...


class VaultAdapter(Protocol):
    """Reads one kind of vault; never writes."""

    @property
    def name(self) -> str: ...

    @property
    def root(self) -> Path: ...

    @property
    def reads_as(self) -> str:
        """The kind of vault, and the settings of it that affect how notes are read.

        If it changes, every note must be read again.
        """
        ...

    def scan(self) -> Scan:
        """List every file (stat only), without files that the tool hides and leftovers of sync
        tools.

        Raises VaultError if the vault itself cannot be listed.
        """
        ...

    def ignores(self, path: str) -> bool:
        """Return whether a vault-relative path is never part of the vault (for the watcher)."""
        ...

    def load(self, path: str) -> bytes:
        """Read a file's bytes, to compare them before parsing.

        Raises NoteError.
        """
        ...

    def recall(self, path: str, digest: str) -> bytes:
        """Return the bytes with this sha256 if they were read recently, else read the file.

        Raises NoteError.
        """
        ...

    def parse(self, path: str, data: bytes) -> Note:
        """Parse one note or canvas; no content is an error."""
        ...

    def read(self, path: str) -> Note:
        """Read and parse one note or canvas. Raises NoteError; no content is an error."""
        ...

    def resolver(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Resolver:
        """Build a resolver over all paths of the vault, including attachments.

        `names` are the `Note.names` by path, for notes that have some.
        """
        ...

    def link_names(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Mapping[str, str] | None:
        """Return the link text of each note that has a name of its own, by path.

        None if links use file names, or paths if those are not unique. A note that is missing here
        can be linked by its path only. See `wikilink.Linker`.
        """
        ...


@runtime_checkable
class Glancing(Protocol):
    """An adapter that can check single files."""

    def glance(self, paths: Iterable[str]) -> tuple[VaultFile, ...] | None:
        """Check only these files: each as a scan would report it.

        None if one of them is not a plain file that keeps its name; then a scan is necessary.
        """
        ...
