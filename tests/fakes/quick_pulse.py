"""`lacuna` as under `without_model`, that looks at the clock five times a second.

Its clock is set by the test, in a moment and by days: it is not to wait half a minute to be seen.
"""

from typing import Any

import daemon.composition
import daemon.host.next_wake
import scheduler.engine
from daemon.cli import main
from tests.fakes.embedder import FakeEmbedder

if __name__ == "__main__":
    vars(daemon.composition)["ChildEmbedder"] = lambda *_, **__: FakeEmbedder()
    vars(daemon.composition)["_reranker"] = lambda *_: None
    vars(daemon.host.next_wake)["_MAX_SLEEP_SECONDS"] = 1.0
    begin: Any = scheduler.engine.Engine.__init__
    begin.__kwdefaults__["pulse_seconds"] = 0.2
    main()
