"""Read a vault, whatever tool manages it; write only into its inbox."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from vault_adapters.base import VaultAdapter
from vault_adapters.folder import FolderAdapter, require_folder

DISTRIBUTION = "lacuna-daemon"  # `lacuna.py` checks for this line


# The module and class of each adapter, in the order in which they are tried. The last accepts every
# folder. A user who opens another tool's notes in Obsidian sees Obsidian's links.
ADAPTERS = (
    ("obsidian", "ObsidianAdapter"),
    ("dendron", "DendronAdapter"),
    ("logseq", "LogseqAdapter"),
    ("plain", "PlainAdapter"),
)


def adapters() -> Iterator[type[FolderAdapter]]:
    """Yield all adapters in the order of `ADAPTERS`; each is imported when it is its turn.

    A vault uses only one of them: a child process that parses, or a start with nothing to do, must
    not wait for the others.
    """
    for module, name in ADAPTERS:
        adapter: type[FolderAdapter] = getattr(import_module(f"{__name__}.{module}"), name)
        yield adapter


def open_vault(
    root: Path,
    *,
    templates: Iterable[str] = (),
    daily_notes: Iterable[str] = (),
    exclude: Iterable[str] = (),
) -> VaultAdapter:
    """Return the adapter for the vault at `root`, by its content.

    The given folders are added to those in the vault's own settings. Raises VaultNotFoundError,
    NotAFolderError or UnreadableVaultError.
    """
    require_folder(root)
    adapter = next(adapter for adapter in adapters() if adapter.keeps(root))
    return adapter(root, templates=templates, daily_notes=daily_notes, exclude=exclude)


def better_adapter(root: Path, current: str) -> str:
    """Return the name of an adapter that now accepts the vault and precedes `current`, or "".

    A folder becomes an Obsidian vault when Obsidian opens it. A missing folder of another tool
    means nothing: a sync program may be restoring it.
    """
    for adapter in adapters():
        if adapter.name == current:
            return ""
        if adapter.keeps(root):
            return adapter.name
    return ""
