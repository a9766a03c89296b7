"""`lacuna` whose embedding process has the int8 weights of the default model, see light_child."""

from daemon.adapters import embedder
from daemon.cli import main

if __name__ == "__main__":
    vars(embedder)["_WORKER"] = "tests.fakes.light_child"
    main()
