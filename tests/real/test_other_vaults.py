"""Real vaults of other tools than Obsidian."""

from collections import Counter
from pathlib import Path

import pytest

from vault_adapters import open_vault
from vault_adapters.base import VaultAdapter
from vault_adapters.note import Link, LinkKind, Role

VAULTS = Path(__file__).resolve().parents[2] / "../shared/data/vaults"

pytestmark = pytest.mark.skipif(not VAULTS.is_dir(), reason="the real vaults are not there")

# Links that lead nowhere on the site either: to files that were never there, or elsewhere.
TIL = {
    ("README.md", "./vim/turning-off-search-highlighting.md"),
    ("go/access-go-docs-offline.md", "./golang.org/doc/"),
    (
        "heroku/check-ruby-version-for-production-app.md",
        "./set-default-team-and-app-for-project.md",
    ),
    ("rails/rescue-from-with-a-separate-method.md", "./rescue_from.md"),
}


def links_of(vault: VaultAdapter) -> list[tuple[str, Link, str | None]]:
    files = vault.scan().files
    read = [file.path for file in files if file.role in (Role.NOTE, Role.DAILY, Role.TEMPLATE)]
    notes = [vault.read(path) for path in read]
    resolver = vault.resolver(
        [file.path for file in files], {note.path: note.names for note in notes}
    )
    return [
        (note.path, link, resolver.resolve(link, note.path))
        for note in notes
        for link in note.links
    ]


def test_in_a_folder_of_markdown_almost_every_link_resolves() -> None:
    vault = open_vault(VAULTS / "til")
    found = links_of(vault)
    assert vault.name == "plain"
    assert len(found) == 2027
    assert {(path, link.target) for path, link, to in found if to is None} == TIL


def test_in_a_dendron_workspace_links_to_existing_notes_resolve() -> None:
    vault = open_vault(VAULTS / "dendron_site")
    assert vault.name == "dendron"
    roles = Counter(file.role for file in vault.scan().files)
    assert (roles[Role.NOTE] + roles[Role.TEMPLATE] + roles[Role.DAILY], roles[Role.EXCLUDED]) == (
        1012,
        4,
    )
    found = [each for each in links_of(vault) if each[1].kind is not LinkKind.TAG]
    assert len(found) > 3000
    lost = {link.target for _, link, to in found if to is None}
    assert sum(to is None for _, _, to in found) / len(found) < 0.05
    # The rest are notes of Dendron's other vaults, notes with another name by now, and pictures.
    there = {file.name.lower() for file in (VAULTS / "dendron_site/vault").iterdir()}
    for target in lost:
        name = target.removeprefix("dendron://dendron.dendron-site/").lower()
        assert f"{name}.md" not in there
        assert name not in there


def test_tags_link_to_tag_notes() -> None:
    found = links_of(open_vault(VAULTS / "dendron_site"))
    tags = Counter(to for _, link, to in found if link.kind is LinkKind.TAG)
    assert tags["vault/tags.role.bugcatcher.md"] > 100
    assert all(to is None or "/tags." in to or "/user." in to for to in tags)
