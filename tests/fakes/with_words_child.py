"""`lacuna` whose embedding process has no model: all of its processes, without the seconds."""

import daemon.composition
from daemon.adapters import embedder
from daemon.cli import main

if __name__ == "__main__":
    vars(embedder)["_WORKER"] = "tests.fakes.words_child"
    vars(daemon.composition)["_reranker"] = lambda *_: None
    main()
