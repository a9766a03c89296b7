"""Resolve the links of a vault again whenever its paths or names have changed."""

from collections.abc import Iterable, Mapping, Sequence

from daemon.index.compare import fingerprint
from daemon.store.notes import NoteStore
from vault_adapters.base import Resolver, VaultAdapter
from vault_adapters.note import Link

Names = Mapping[str, Sequence[str]]


class LinkResolution:
    """The resolver of a vault's current paths and names, and whether all links follow it.

    A mark is a fingerprint of everything that determines link targets.
    """

    def __init__(self, adapter: VaultAdapter, notes: NoteStore) -> None:
        self._adapter = adapter
        self._notes = notes
        self._resolver: tuple[str, Resolver] | None = None

    def settled(self, names: Names) -> Resolver | None:
        """Return the resolver by which all links were resolved; None if that is not done yet."""
        mark = self._notes.state.resolved_by()
        if self._resolver is not None and self._resolver[0] == mark:
            return self._resolver[1]
        paths = self._notes.all_paths()
        return self.resolver(mark, paths, names) if mark == self.mark(paths, names) else None

    def mark(self, paths: Iterable[str], names: Names) -> str:
        """Return the mark of these paths and names."""
        return fingerprint(paths, self._adapter.reads_as, repr(sorted(names.items())))

    def resolver(self, mark: str, paths: Sequence[str], names: Names) -> Resolver:
        """Return the resolver of these paths and names, whose mark is known."""
        if self._resolver is None or self._resolver[0] != mark:
            self._resolver = (mark, self._adapter.resolver(paths, names))
        return self._resolver[1]

    def resolve_all(self, resolver: Resolver, mark: str) -> None:
        """Resolve every link again: an added or removed path can change any target."""
        with self._notes.transaction():
            moved = []
            for row, ordinal in self._notes.numbered_links():
                link = Link(row.target, row.subpath, row.display, row.kind, row.line)
                resolved = resolver.resolve(link, row.source)
                if resolved != row.resolved:
                    moved.append((row, ordinal, resolved))
            self._notes.point(moved)
            self._notes.state.save_resolved_by(mark)
