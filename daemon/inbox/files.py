"""The files in the inbox, and of the plugin: the only code that writes into the vault."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.model.errors import VaultError
from daemon.model.own_notes import ARCHIVE, SeenNote, is_inside
from vault_adapters.edit import read_property
from vault_adapters.inert import safe_name
from vault_adapters.own_writes import GONE, OwnWrites
from vault_adapters.writer import (
    ChangedError,
    ExistsError,
    InboxWriter,
    WriteError,
    content_hash,
    name_key,
)

_OF_RUN = re.compile(r"\d{4}-\d{2}-\d{2} .+")  # a run's folder, which begins with its day


class InboxFiles:
    """Reads, writes and moves the notes in `folder`, which is vault-relative.

    Errors of the disk are raised as VaultError. A note that has changed since it was read, or is
    changing, is left as it is. Each write is recorded in `own_writes`.
    """

    def __init__(self, root: Path, folder: str, own_writes: OwnWrites) -> None:
        self._writer = InboxWriter(root, folder)
        self._own_writes = own_writes
        self.folder = folder
        self.archive = f"{folder}/{ARCHIVE}"

    def make_folder(self) -> None:
        """Create the inbox folder for callers that need it before the first write."""
        with _as_vault_error():
            self._writer.make_folder()

    def recognise(self) -> None:
        """Accept the vault's folder as it is now: it has just been scanned."""
        self._writer.recognise()

    def remove_empty_folders(self) -> None:
        """Remove the folders of runs that have nothing left in them."""
        with _as_vault_error():
            self._writer.remove_empty(_OF_RUN)

    def remove_temporary(self) -> int:
        """Remove files that a killed process left half written; return their number."""
        with _as_vault_error():
            return self._writer.clean()

    def read(self, path: str) -> str | None:
        """Return the text of a note in the inbox, or None when it is not there."""
        seen = self.check(path)
        return None if seen is None else seen.text

    def check(self, path: str) -> SeenNote | None:
        """Return a note in the inbox as it is now, or None when it is not there."""
        if not is_inside(path, self.folder):
            return None
        with _as_vault_error():
            found = self._writer.check(path)
        return None if found is None else SeenNote(path, *found)

    def free_path(self, folder: str, stem: str, taken: Collection[str]) -> str:
        """Return a path below `folder` for a note called `stem`; its name is none of `taken`."""
        names = {name_key(path) for path in taken}
        with _as_vault_error():
            return self._writer.unique_path(folder, safe_name(stem), names)

    def create(self, path: str, text: str, id: str) -> str | None:
        """Write a new note and return its sha256; None if another note has the path.

        A note that has this `lacuna_id` was written before, perhaps edited since, and stays.
        """
        with _as_vault_error():
            try:
                return self._write(path, text, expected=None)
            except ExistsError:
                there = self._writer.check(path)
        is_written = there is not None and read_property(there[0], "lacuna_id") == id
        return there[1] if there is not None and is_written else None

    def has(self, path: str) -> bool:
        """Return whether there is a file of any kind at a path in the inbox."""
        with _as_vault_error():
            return is_inside(path, self.folder) and self._writer.exists(path)

    def add_file(self, path: str, data: bytes) -> bool:
        """Write a new file that is no note; return False if another file has the path."""
        with _as_vault_error():
            try:
                written = self._writer.write(path, data, expected=None)
            except ExistsError:
                return False
        self._own_writes.record(path, written)
        return True

    def rewrite(self, seen: SeenNote, edited: str) -> str | None:
        """Write `edited` over a note as it was seen, and return its sha256; None if it changed."""
        if edited == seen.text:
            return seen.hash
        mark = _mark(seen)
        if mark is None:
            return None
        try:
            with _as_vault_error():
                return self._write(seen.path, mark + edited, expected=seen.hash)
        except ChangedError:
            return None

    def edit(self, path: str, edit: Callable[[str], str]) -> bool:
        """Update a note of ours; return False if it is being edited or was deleted."""
        seen = self.check(path)
        return seen is not None and self.rewrite(seen, edit(seen.text)) is not None

    def move(
        self,
        path: str,
        folder: str,
        *,
        taken: Collection[str] = (),
        before: Callable[[str], None] = lambda _: None,
    ) -> str | None:
        """Move a note of ours to another folder of the inbox, and return its path there.

        `before` is called with that path just before the move. None if the note is missing or
        being edited.
        """
        stem = path.rpartition("/")[2].removesuffix(".md")
        others = {name_key(other) for other in taken if other != path}
        try:
            with _as_vault_error():
                to = self._writer.unique_path(folder, stem, others)
                before(to)
                self._writer.move(path, to)
        except (ChangedError, ExistsError):
            return None
        self._own_writes.record(path, GONE)
        return to

    def remove(self, seen: SeenNote) -> None:
        """Delete a file as it was seen. Raises VaultError if it has changed since."""
        with _as_vault_error():
            try:
                self._writer.remove(seen.path, expected=seen.hash)
            except ChangedError as error:
                raise VaultError(str(error)) from error
        self._own_writes.record(seen.path, GONE)

    def _write(self, path: str, text: str, *, expected: str | None) -> str:
        written = self._writer.write(path, text, expected=expected)
        self._own_writes.record(path, written)
        return written


@contextmanager
def _as_vault_error() -> Iterator[None]:
    """Raise what cannot be written as VaultError; let through what can be tried again."""
    try:
        yield
    except (ChangedError, ExistsError):
        raise
    except WriteError as error:
        raise VaultError(str(error)) from error


def _mark(seen: SeenNote) -> str | None:
    """Return the byte-order mark that reading took off, or "".

    None for a note whose bytes are not UTF-8: it cannot be written back as it was.
    """
    marks = (mark for mark in ("", "\ufeff") if _hash(mark + seen.text) == seen.hash)
    return next(marks, None)


def _hash(text: str) -> str:
    return content_hash(text.encode())
