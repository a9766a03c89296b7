"""`lacuna` with the deterministic embedder for the model: the real process, only quicker."""

import daemon.composition
from daemon.cli import main
from tests.fakes.embedder import FakeEmbedder

if __name__ == "__main__":
    vars(daemon.composition)["ChildEmbedder"] = lambda *_, **__: FakeEmbedder()
    vars(daemon.composition)["_reranker"] = lambda *_: None
    main()
