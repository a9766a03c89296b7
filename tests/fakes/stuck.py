"""`lacuna` whose loop, once it was heard of, waits for ever; its other threads go on."""

import threading
from typing import Any

import daemon.composition
from daemon.cli import main
from daemon.host.loop import Host
from tests.fakes.embedder import FakeEmbedder


def stuck(self: Any) -> None:
    self.watchdog.step()
    threading.Thread(target=_go_on, args=(self,), daemon=True).start()
    (self.app.state / "stuck").touch()
    threading.Event().wait()


def _go_on(host: Any) -> None:
    while True:
        host.watchdog.step()
        host.stop.check()
        threading.Event().wait(0.01)


if __name__ == "__main__":
    vars(daemon.composition)["ChildEmbedder"] = lambda *_, **__: FakeEmbedder()
    vars(daemon.composition)["_reranker"] = lambda *_: None
    Host._wait = stuck  # type: ignore[method-assign]
    main()
