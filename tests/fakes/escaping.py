"""`lacuna` with a bug: whenever its daemon has nothing to do, it writes wherever it can.

What came of each attempt is kept in `attempts.json` in the state folder.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from daemon.cli import main


def attempts(vault: Path, inbox: Path) -> dict[str, Callable[[], object]]:
    note = next(path for path in sorted(vault.rglob("*.md")) if inbox not in path.parents)
    home = Path(os.environ["HOME"])
    return {
        "write a note": lambda: note.write_text("no longer mine"),
        "append to a note": lambda: note.open("a"),
        "truncate a note": lambda: os.truncate(note, 0),
        "remove a note": note.unlink,
        "rename a note": lambda: note.rename(note.with_name("other.md")),
        "take a note into the inbox": lambda: note.rename(inbox / "taken.md"),
        "link a note": lambda: os.link(note, vault / "linked.md"),
        "make a note": lambda: (vault / "made.md").write_text("made"),
        "make a folder": (vault / "folder").mkdir,
        "make a link": lambda: (vault / "symlink.md").symlink_to(note),
        "write to the settings": lambda: (home / "config.toml").open("a"),
        "write to the home": lambda: (home / "made").write_text("made"),
        "write beside the home": lambda: (home.parent / "made").write_text("made"),
        "by a child": lambda: subprocess.run(
            [sys.executable, "-c", "import sys; open(sys.argv[1], 'w')", str(vault / "child.md")],
            check=True,
            stderr=subprocess.DEVNULL,
        ),
    }


def _came_of(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return type(error).__name__
    except subprocess.CalledProcessError:
        return "CalledProcessError"
    return "done"


def _go_astray() -> None:
    import daemon.composition
    from daemon.host.loop import Host
    from tests.fakes.embedder import FakeEmbedder

    vars(daemon.composition)["ChildEmbedder"] = lambda *_, **__: FakeEmbedder()
    vars(daemon.composition)["_reranker"] = lambda *_: None
    rest = Host._wait

    def astray(self: Any) -> None:
        found = {
            name: _came_of(attempt)
            for name, attempt in attempts(
                self.app.adapter.root, self.app.adapter.root / self.app.settings.inbox.folder
            ).items()
        }
        draft = self.app.state / "attempts.tmp"
        draft.write_text(json.dumps(found))
        draft.replace(self.app.state / "attempts.json")
        Host._wait = rest  # type: ignore[method-assign]
        rest(self)

    Host._wait = astray  # type: ignore[method-assign]


class _Late:
    """Goes astray when the loop is imported, which must not be before the process is confined."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "daemon.host.serving":
            sys.meta_path.remove(self)
            _go_astray()


if __name__ == "__main__":
    sys.meta_path.insert(0, _Late())
    main()
