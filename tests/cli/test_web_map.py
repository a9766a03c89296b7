"""The map of a vault over the REST interface: computed in a child, kept, renewed after a change."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.cli import Cli
from tests.fakes.web_site import Site, serving_vault

LONG_AGO = 1_700_000_000


@pytest.fixture
def site(ready: Cli, vault: Path) -> Iterator[Site]:
    for note in vault.rglob("*.md"):  # one that was just written is read again
        os.utime(note, (LONG_AGO, LONG_AGO))
    with serving_vault(ready) as site:
        yield site


def test_the_map_is_kept_until_a_note_changes(site: Site, vault: Path) -> None:
    site.program("POST", "/api/v1/index", {})
    first = site.program("GET", "/api/v1/map").json
    paths, links = first["paths"], first["links"]
    nodes = len(paths) + len(first["missing"])
    named = [*first["names"], *first["missing"]]
    pairs = {(named[a], named[b]) for a, b in zip(links[::2], links[1::2], strict=True)}
    assert ("Wild yeast", "Sourdough") in pairs
    assert ("Sourdough", "Staling") in pairs
    assert "Staling" in first["missing"]
    assert "Lonely crumb" not in {name for pair in pairs for name in pair}
    assert [len(first[key]) for key in ("by_links", "by_meaning", "clusters")] == [
        *(2 * nodes, 2 * nodes),
        nodes,
    ]
    [file] = Path(vault.parents[1]).rglob("map.json")
    written = file.stat().st_mtime_ns
    assert site.program("GET", "/api/v1/map").json == first
    assert file.stat().st_mtime_ns == written

    (vault / "Staling.md").write_text("# Staling\n\nStarch turns back, see [[Sourdough]].\n")
    site.program("POST", "/api/v1/index", {})
    kept = site.program("GET", "/api/v1/map?kept=true").json
    assert (kept["is_current"], kept["paths"]) == (False, paths)
    renewed = site.program("GET", "/api/v1/map").json
    assert (renewed["is_current"], "Staling.md" in renewed["paths"]) == (True, True)


def test_a_damaged_map_is_computed_again(site: Site, vault: Path) -> None:
    site.program("POST", "/api/v1/index", {})
    first = site.program("GET", "/api/v1/map").json
    [file] = Path(vault.parents[1]).rglob("map.json")
    file.write_text(file.read_text()[:100])
    assert site.program("GET", "/api/v1/map").json == first
