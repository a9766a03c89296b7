"""The whole path on 749 real notes, by the real daemon (with the deterministic embedder)."""

import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from tests.fakes.process import ROOT, WITHOUT_MODEL, Lacuna

NOTES = ROOT / "../shared/data/vaults/jackyzha0/content"

pytestmark = [
    pytest.mark.skipif(not NOTES.is_dir(), reason="the real vault is not here"),
    pytest.mark.e2e,
    pytest.mark.timeout(240),
]


@pytest.mark.long(20)
def test_researching_a_real_vault_changes_no_byte_of_it(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    shutil.copytree(NOTES, vault, copy_function=shutil.copyfile)
    settings = {
        "library": str(ROOT / "sample_library"),
        "settle_seconds": 0.2,
        "veto_seconds": 0.2,
        "weekly": False,
    }
    lacuna = Lacuna(vault, tmp_path / "home", settings, program=WITHOUT_MODEL)
    report = lacuna.json("index")
    assert report["notes"] == 749
    assert not [entry for entry in report["skipped"] if entry["path"].endswith(".md")]
    health = lacuna.json("health")
    assert len(health["clusters"]) > 10
    assert len(health["gaps"]) > 20
    found = lacuna.json("search", "conflict-free replicated data types")
    assert "crdt" in found[0]["path"].lower()

    note = vault / "thoughts" / "CRDT.md"
    question = "research: When may a tombstone be removed from a CRDT?"
    text = note.read_text()
    note.write_text(text.replace("---\n", f"---\n{question}\n", 1))
    before = _hashes(vault)
    daemon = lacuna.start("run")
    try:
        inbox = vault / "Inbox" / "Research"
        daemon.wait_until(lambda: list(inbox.glob("Digest *.md")), "the digest")
        findings = [path for path in inbox.glob("2026-*.md") if "finding" in path.read_text()[:60]]
        assert findings
        finding = findings[0]
        finding.write_text(finding.read_text().replace("- [ ] Accept", "- [x] Accept"))
        daemon.wait_until(lambda: "status: accepted" in finding.read_text(), "the acceptance")
    finally:
        daemon.kill()
    assert _hashes(vault) == before


def _hashes(vault: Path) -> dict[Path, str]:
    return {
        path: sha256(path.read_bytes()).hexdigest()
        for path in vault.rglob("*")
        if path.is_file() and "Inbox" not in path.parts
    }
