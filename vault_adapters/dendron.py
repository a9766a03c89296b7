"""A Dendron workspace."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vault_adapters.base import Resolver
from vault_adapters.decode import decode
from vault_adapters.dendron_links import TAGS, DendronResolver, scan_dendron, tag_link
from vault_adapters.dendron_settings import SETTINGS, DendronSettings, read_settings
from vault_adapters.folder import FolderAdapter
from vault_adapters.frontmatter import read_properties
from vault_adapters.inline_plain import follow_definitions
from vault_adapters.markdown import Contents, note_of
from vault_adapters.note import Note, Role, Tag
from vault_adapters.roles import Roles


class DendronAdapter(FolderAdapter):
    """Reads a workspace as Dendron does: notes lie flat in its vaults, their names are hierarchies.

    Notes are the `*.md` directly in a vault's folder (`VaultUtils.getRelPath` in Dendron's
    packages/common-all/src/vault.ts); schemas (`*.schema.yml`) and Markdown anywhere else (a
    README, a site's sources) are not notes. A note's place in the hierarchy is not a link, and
    neither are the backlinks that Dendron shows. Tags and user tags are links to the notes `tags.…`
    and `user.…`, if those exist.
    """

    name = "dendron"

    @staticmethod
    def keeps(root: Path) -> bool:
        """Return whether the folder is such a workspace, or one of its vaults."""
        return (root / SETTINGS).is_file() or (root / "root.schema.yml").is_file()

    @property
    def reads_as(self) -> str:
        """The kind of vault, and its settings about where notes are."""
        settings = read_settings(self.root)
        return repr((self.name, settings.vaults, sorted(settings.names)))

    def roles(self) -> Roles:
        """Return the role of each file in the workspace."""
        roles = super().roles()
        return _DendronRoles(
            roles.suffixes, roles.templates, roles.daily, roles.excluded, read_settings(self.root)
        )

    def parse(self, path: str, data: bytes) -> Note:
        """Parse one note or canvas; no content is an error."""
        if path.lower().endswith(".canvas"):
            return super().parse(path, data)
        text, trouble = decode(data)
        properties = read_properties(text)
        contents = Contents(scan=scan_dendron, signs="[@")
        for tag in _tags(properties.values):
            contents.links.append(tag_link(TAGS + tag, tag, 0, "tags"))
            contents.tags.append(Tag(f"#{tag}", 0))
        contents.read(properties.body, properties.body_line)
        contents.links = list(follow_definitions(contents.links))
        note = note_of(path, text, properties, contents, trouble)
        return replace(note, title=_title(note))

    def resolver(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Resolver:
        """Build a resolver over all paths of the workspace, including attachments."""
        return DendronResolver(paths, read_settings(self.root))

    def link_names(
        self, paths: Iterable[str], names: Mapping[str, Iterable[str]] | None = None
    ) -> Mapping[str, str]:
        """Return the name of each note, with its vault if several have a note of that name."""
        return DendronResolver(paths, read_settings(self.root)).names()


@dataclass(frozen=True, slots=True)
class _DendronRoles(Roles):
    """Roles by a note's place in the hierarchy."""

    settings: DendronSettings = field(default_factory=lambda: DendronSettings(()))

    def of(self, path: str) -> Role:
        """Return the role of a path in the workspace."""
        role = Roles.of(self, path)
        if role is not Role.NOTE:
            return role
        folder, _, name = path.rpartition("/")
        if not any(folder == vault.folder for vault in self.settings.vaults):
            return Role.EXCLUDED
        if name.startswith(f"{self.settings.templates}."):
            return Role.TEMPLATE
        return Role.DAILY if self.settings.daily.match(name) else Role.NOTE


def _title(note: Note) -> str:
    """Return its title, or the one that Dendron derives from the last part of its name (`genTitle`
    in dnode.ts).
    """
    title = note.frontmatter.get("title")
    if isinstance(title, str) and title.strip():
        return title.strip()
    name = note.title.rpartition(".")[2]
    return name.replace("-", " ").title() if name == name.lower() else name


def _tags(properties: Mapping[str, Any]) -> Iterator[str]:
    tags = properties.get("tags")
    for tag in tags if isinstance(tags, list) else [tags]:
        if isinstance(tag, str) and tag.strip():
            yield tag.strip()
