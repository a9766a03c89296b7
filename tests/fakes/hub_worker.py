"""A real worker of a hub in a process that can be killed, paused and cut off: `URL FILE`.

It prints "ready", and for each slice, page and request that it has begun, "begun"; it begins to
work after a first line of its input, and ends what it has begun after a second one. What it sends
are lines of FILE.
"""

import asyncio
import signal
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import make_url

from bench.cut_network import Proxy
from bench.hub_tools import slow_tools
from daemon.hub.database import Database
from daemon.hub.worker_jobs import QUEUES, work


@dataclass(slots=True)
class HeldWorker:
    """The process, behind a network of its own."""

    database: Database
    sent: Path
    network: Proxy = field(init=False)
    process: "subprocess.Popen[str]" = field(init=False)

    def __post_init__(self) -> None:
        url = make_url(self.database.url)
        self.network = Proxy(f"{url.query['host']}/.s.PGSQL.{url.port or 5432}")
        through = f"postgresql://postgres:@127.0.0.1:{self.network.port}/{url.database}"
        command = [sys.executable, "-m", __spec__.name, through, str(self.sent)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)

    def begin(self, number: int) -> None:
        """Have it begin so many slices, pages and requests, which it does not end."""
        self.expect("ready")
        self.go_on()
        for _ in range(number):
            self.expect("begun")

    def expect(self, what: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{what}\n"

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")

    def end(self) -> None:
        """Have it end its jobs, and then itself."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.go_on()
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=30)
        finally:
            self.process.kill()
            self.network.close()


def say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main(url: str, sent: Path) -> None:
    goes_on = threading.Event()

    def hold() -> None:
        say("begun")
        goes_on.wait()

    def listen() -> None:
        sys.stdin.readline()
        goes_on.set()

    say("ready")
    sys.stdin.readline()
    threading.Thread(target=listen, daemon=True).start()
    with closing(Database(url)) as database:
        asyncio.run(work(database, slow_tools(database, sent, hold), QUEUES))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
