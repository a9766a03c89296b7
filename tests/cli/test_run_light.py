"""What the daemon holds before it has done anything."""

import subprocess
import sys
from pathlib import Path

import pytest


def reported_by(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.splitlines()[-1]


def test_the_daemon_starts_without_optional_imports() -> None:
    heavy = {
        *("faiss", "lxml", "networkx", "pypdfium2", "scipy", "torch", "trafilatura"),
        *("httpcore", "httpx", "mcp", "protego", "rich", "tenacity", "tqdm"),
        *("daemon.analysis.gaps", "daemon.cycle.analysing", "vault_adapters.logseq"),
        *("daemon.cycle.runs", "daemon.network", "daemon.research.gather", "rapidfuzz"),
        *("daemon.adapters.transport", "daemon.adapters.sources.build", "markdown_it", "numpy"),
    }
    script = (
        f"import sys, daemon.host.serving\nprint('loaded:', sorted({heavy} & sys.modules.keys()))"
    )
    assert reported_by(script) == "loaded: []"


def test_no_source_is_created_and_no_key_read_before_the_first_query(
    tmp_path: Path,
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Tides.md").write_text("The moon pulls.")
    script = f"""
import sys
from pathlib import Path
from daemon.model.clock import now
from daemon.composition import open_app
from daemon.config import Settings
home = Path({str(tmp_path)!r})
app = open_app(Settings(vault=home / "vault"), state=home / "state", config=home / "config.toml")
app.index.knowledge.sync(now=now(), embed=False)
app.research.tagged_notes.propose(now(), app.tagged)
early = sorted({{"daemon.network", "keyring"}} & sys.modules.keys())
print(early, "library" in dict(app.research.excluded_sources), "daemon.network" in sys.modules)
"""
    assert reported_by(script) == "[] True True"


def test_network_components_import_no_document_parser() -> None:
    """They run in a process of their own, which is sealed and can be ended."""
    parsers = {"lxml", "feedparser", "trafilatura", "pypdfium2", "mammoth", "xml.etree", "bs4"}
    script = (
        "import sys, daemon.composition, daemon.host.loop, daemon.network\n"
        f"print('loaded:', sorted({parsers} & sys.modules.keys()))"
    )
    assert reported_by(script) == "loaded: []"


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_no_thread_starts_before_the_process_is_sandboxed() -> None:
    """A thread that runs already would stay as free as it was."""
    script = "import os, daemon.cli.run\nprint('threads:', len(os.listdir('/proc/self/task')))"
    assert reported_by(script) == "threads: 1"
