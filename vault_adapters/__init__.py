"""Reading a vault, whatever tool keeps it; writing only into its inbox."""

from collections.abc import Iterable
from pathlib import Path

from vault_adapters.base import VaultAdapter
from vault_adapters.dendron import DendronAdapter
from vault_adapters.folder import require_folder
from vault_adapters.logseq import LogseqAdapter
from vault_adapters.obsidian import ObsidianAdapter
from vault_adapters.plain import PlainAdapter

# The first that keeps a folder reads it; the last keeps every folder. Whoever opens the notes of
# another tool in Obsidian sees Obsidian's links.
ADAPTERS = (ObsidianAdapter, DendronAdapter, LogseqAdapter, PlainAdapter)


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
    adapter = next(adapter for adapter in ADAPTERS if adapter.keeps(root))
    return adapter(root, templates=templates, daily_notes=daily_notes, exclude=exclude)
