"""The map of a vault over the REST interface: computed in a child, kept, renewed after a change."""

import json
import os
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from struct import iter_unpack

import pytest

from tests.fakes.cli import Cli
from tests.fakes.web_site import Site, serving_vault

LONG_AGO = 1_700_000_000


def numbers(column: str) -> list[int]:
    return [number for (number,) in iter_unpack("<i", b64decode(column))]


@pytest.fixture
def site(ready: Cli, vault: Path) -> Iterator[Site]:
    for note in vault.rglob("*.md"):  # one that was just written is read again
        os.utime(note, (LONG_AGO, LONG_AGO))
    with serving_vault(ready) as site:
        yield site


def test_the_map_is_kept_until_a_note_changes(site: Site, vault: Path) -> None:
    site.program("POST", "/api/v1/index", {})
    first = site.program("GET", "/api/v1/map").json
    paths, links = first["paths"], numbers(first["links"])
    nodes = len(paths) + len(first["missing"])
    named = [*first["names"], *first["missing"]]
    pairs = {(named[a], named[b]) for a, b in zip(links[::2], links[1::2], strict=True)}
    assert ("Wild yeast", "Sourdough") in pairs
    assert ("Sourdough", "Staling") in pairs
    assert "Staling" in first["missing"]
    assert "Lonely crumb" not in {name for pair in pairs for name in pair}
    columns = [numbers(first[key]) for key in ("by_links", "by_meaning", "clusters")]
    assert [len(each) for each in columns] == [2 * nodes, 2 * nodes, nodes]
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


def test_a_damaged_map_or_one_of_an_earlier_version_is_computed_again(
    site: Site, vault: Path
) -> None:
    site.program("POST", "/api/v1/index", {})
    first = site.program("GET", "/api/v1/map").json
    [file] = Path(vault.parents[1]).rglob("map.json")
    whole = json.loads(file.read_text())
    for damaged in (json.dumps(whole)[:100], json.dumps({**whole, "format": 1, "map": {}})):
        file.write_text(damaged)
        assert site.program("GET", "/api/v1/map").json == first
