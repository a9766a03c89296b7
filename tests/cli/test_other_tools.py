"""A finding in the vault of another tool than Obsidian: its links are that tool's."""

from pathlib import Path

import pytest

from tests.fakes.cli import Cli, lay_out
from vault_adapters import open_vault
from vault_adapters.note import LinkKind

QUESTION = "why does bread go stale in the fridge"
SOURDOUGH = "Flour, water and time. Bread goes stale because the starch in its crumb crystallises."

VAULTS = {
    "logseq": (
        {
            "logseq/config.edn": "{:file/name-format :triple-lowbar}",
            "pages/Baking___stale.md": f"- {SOURDOUGH}\n  collapsed:: true\n",
        },
        "[[Baking/stale]]",
    ),
    "dendron": (
        {
            "dendron.yml": "workspace:\n  vaults:\n    - fsPath: notes\n    - fsPath: more\n",
            "notes/baking.stale.md": f"---\ntitle: Stale\n---\n\n{SOURDOUGH}\n",
            "more/baking.stale.md": "",
        },
        "[[dendron://notes/baking.stale]]",
    ),
}


@pytest.mark.parametrize("tool", VAULTS)
def test_a_finding_and_its_replay_use_the_link_style_of_the_vault(
    tool: str, ready: Cli, tmp_path: Path
) -> None:
    files, link = VAULTS[tool]
    vault = lay_out(tmp_path / tool, files)
    at = ("--vault", vault, "--state", tmp_path / "state")
    done = ready("research", QUESTION, *at, "--json").json
    note = vault / done["findings"][0]["path"]
    assert link in note.read_text()
    adapter = open_vault(vault)
    assert adapter.name == tool
    paths = [file.path for file in adapter.scan().files]
    finding = adapter.read(done["findings"][0]["path"])
    resolver = adapter.resolver(paths)
    links = [each for each in finding.links if each.kind is LinkKind.LINK]  # not the tags
    assert {resolver.resolve(each, finding.path) for each in links} == {list(files)[1]}
    digest = adapter.read(done["digest"])
    assert finding.path in [resolver.resolve(each, digest.path) for each in digest.links]
    again = ready("replay", done["run"], *at)
    assert again.code == 0
    assert again.out.count("identical  ") == 2
