"""`lacuna` with the deterministic embedder for the model: the real process, only quicker."""

import daemon.app
from daemon.cli import main
from tests.fakes.embedder import FakeEmbedder

if __name__ == "__main__":
    vars(daemon.app)["ChildEmbedder"] = lambda *_, **__: FakeEmbedder()
    vars(daemon.app)["_reranker"] = lambda _settings: None
    main()
