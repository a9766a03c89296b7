"""Reading a vault, whatever tool keeps it; writing only into its inbox."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from vault_adapters.base import VaultAdapter
from vault_adapters.folder import FolderAdapter, require_folder

DISTRIBUTION = "lacuna-daemon"  # `lacuna.py` looks for this line


def adapters() -> Iterator[type[FolderAdapter]]:
    """Yield all adapters, in the order in which they are asked whether they keep a folder.

    The last keeps every folder. Whoever opens the notes of another tool in Obsidian sees Obsidian's
    links.
    """
    # Each is loaded when its turn comes: a vault is read by one of them, and a child process that
    # parses, or a start with nothing to do, is not to wait for the others.
    from vault_adapters.obsidian import ObsidianAdapter  # noqa: PLC0415

    yield ObsidianAdapter
    from vault_adapters.dendron import DendronAdapter  # noqa: PLC0415

    yield DendronAdapter
    from vault_adapters.logseq import LogseqAdapter  # noqa: PLC0415

    yield LogseqAdapter
    from vault_adapters.plain import PlainAdapter  # noqa: PLC0415

    yield PlainAdapter


def open_vault(
    root: Path,
    *,
    templates: Iterable[str] = (),
    daily_notes: Iterable[str] = (),
    exclude: Iterable[str] = (),
) -> VaultAdapter:
    """Return the adapter for the vault at `root`, found by what lies in it.

    The folders given come on top of those that the vault's own settings name. Raises
    VaultNotFoundError, NotAFolderError or UnreadableVaultError.
    """
    require_folder(root)
    adapter = next(adapter for adapter in adapters() if adapter.keeps(root))
    return adapter(root, templates=templates, daily_notes=daily_notes, exclude=exclude)


def better_adapter(root: Path, current: str) -> str:
    """Return the name of the adapter that keeps the vault by now and comes before `current`, or "".

    A folder becomes an Obsidian vault when it is opened there. That a tool's folder is gone says
    nothing: a sync program may be bringing it back.
    """
    for adapter in adapters():
        if adapter.name == current:
            return ""
        if adapter.keeps(root):
            return adapter.name
    return ""
