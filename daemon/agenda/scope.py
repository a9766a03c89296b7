"""The part of the vault that a schedule covers: folders, tags, or both. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.model.agenda import Gap


@dataclass(frozen=True, slots=True)
class Scope:
    """Notes in one of the folders, or with one of the tags or a nested tag; without either, the
    whole vault. Folders are vault-relative, tags without `#`.
    """

    folders: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return not (self.folders or self.tags)

    def contains(self, path: str, tags: Iterable[str]) -> bool:
        """Return whether a note with these tags is in it. Tags ignore case."""
        if self.is_whole or any(path.startswith(f"{folder}/") for folder in self.folders):
            return True
        wanted = [tag.casefold() for tag in self.tags]
        return any(
            tag == each or tag.startswith(f"{each}/")
            for tag in (tag.casefold().lstrip("#") for tag in tags)
            for each in wanted
        )


WHOLE = Scope()


def within(gaps: Sequence[Gap], scope: Scope, tags: Mapping[str, Collection[str]]) -> Sequence[Gap]:
    """Return the gaps of which at least half of the notes are in `scope`, those notes first.

    `tags` are those of every note, by path.
    """
    if scope.is_whole:
        return gaps
    kept = []
    for gap in gaps:
        inside = [path for path in gap.notes if scope.contains(path, tags.get(path, ()))]
        if inside and 2 * len(inside) >= len(gap.notes):
            outside = (path for path in gap.notes if path not in inside)
            kept.append(replace(gap, notes=(*inside, *outside)))
    return kept
