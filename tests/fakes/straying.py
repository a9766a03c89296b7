"""`lacuna` with a bug: a command writes into the home and the vault while it indexes."""

import os
import sys
from pathlib import Path
from typing import Any

import daemon.composition
from daemon.cli import main
from daemon.index.sync import Syncer
from tests.fakes.embedder import FakeEmbedder

_sync = Syncer.sync


def stray(self: Syncer, **how: Any) -> Any:
    for place in (Path(os.environ["HOME"]) / ".bashrc", self._adapter.root / "made.md"):
        try:
            place.write_text("made")
        except OSError as error:
            sys.stdout.write(f"{type(error).__name__}\n")
        else:
            sys.stdout.write("wrote\n")
    return _sync(self, **how)


if __name__ == "__main__":
    vars(daemon.composition)["ChildEmbedder"] = lambda *_, **__: FakeEmbedder()
    vars(daemon.composition)["_reranker"] = lambda *_: None
    Syncer.sync = stray  # type: ignore[method-assign]
    main()
