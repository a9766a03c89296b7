"""What goes through the gate is in the ledger: before it is sent, each hop, and no key."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.adapters.fetch import Gate
from daemon.adapters.meter import FIRST, MAX_COUNTED_BYTES, READ, Counted, Meter
from daemon.adapters.robots import Robots
from daemon.model.errors import DisallowedError, FetchError, OfflineError, RefusedError, SpentError
from daemon.model.spending import Amounts, Cap, LedgerEntry, Sending, Span, caps_of
from daemon.store.db import Database
from daemon.store.ledger import Ledger
from daemon.store.spent import Spent
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Asked, HttpServer, Reply, serving

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
KEY = "sk-very/secret+key"
ROOT = Path(__file__).resolve().parents[3]


ASKING = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from daemon.adapters.fetch import Gate
from daemon.adapters.meter import Meter
from daemon.store.db import Database
from daemon.store.ledger import Ledger

ledger = Ledger(
    Database(Path(sys.argv[1])), clock=lambda: datetime.now(UTC), zone=lambda: UTC
)
gate = Gate(allow_origins=[sys.argv[2]], timeout=600, max_bytes=1_000)
gate = gate.counted_by(Meter(ledger, "api", price=0.005))
asyncio.run(gate.get(sys.argv[2] + "/page"))
"""


class Counting:
    """A gate with a ledger behind it."""

    def __init__(self, folder: Path, origin: str) -> None:
        self.db = Database(folder / "lacuna.db")
        self.origin = origin

    def gate(self, *caps: Cap, price: float = 0.0) -> Gate:
        meter = Meter(self.ledger(*caps), "api", price=price, keys={"api-key": KEY})
        return a_gate(allow_origins=[self.origin], timeout=20).counted_by(meter)

    def ledger(self, *caps: Cap) -> Ledger:
        return Ledger(self.db, clock=lambda: NOW, zone=lambda: UTC, caps=caps)

    def entries(self) -> list[LedgerEntry]:
        return list(Spent(self.db).entries())

    def total(self) -> Amounts:
        return sum((each.amounts for each in Spent(self.db).sums()), Amounts())


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        running.routes["/page"] = Reply(b"x" * 5000)
        yield running


@pytest.fixture
def counting(tmp_path: Path, server: HttpServer) -> Iterator[Counting]:
    counting = Counting(tmp_path, server.origin)
    yield counting
    counting.db.close()


def get(gate: Gate, url: str, **params: str) -> None:
    asyncio.run(gate.get(url, params=params or None))


def test_a_request_is_counted_before_it_is_sent_and_corrected_after(
    counting: Counting, server: HttpServer
) -> None:
    seen: list[Amounts] = []

    def answer(_asked: Asked) -> Reply:
        seen.append(counting.total())
        return Reply(b"x" * 300)

    server.routes["/slow"] = answer
    get(counting.gate(price=0.005), server.origin + "/slow")
    assert seen == [Amounts(1, FIRST, 5000)]
    assert counting.total() == Amounts(1, 300, 5000)
    assert counting.entries()[0].is_settled


def test_every_hop_is_counted_and_only_the_first_is_paid_for(
    counting: Counting, server: HttpServer
) -> None:
    server.routes["/a"] = Reply(status=302, headers={"location": "/b"})
    server.routes["/b"] = Reply(status=301, headers={"location": "/page"})
    get(counting.gate(price=0.01), server.origin + "/a")
    assert [entry.sending.what.rpartition("/")[2] for entry in counting.entries()] == [
        "a",
        "b",
        "page",
    ]
    assert counting.total() == Amounts(3, 5000, 10_000)


def test_what_was_never_sent_is_not_counted(counting: Counting) -> None:
    gate = counting.gate()

    async def nowhere(_host: str, _port: int) -> list[str]:
        raise OfflineError("no network")

    gate._resolver = nowhere
    with pytest.raises(OfflineError):
        get(gate, "https://example.org/page")
    with pytest.raises(RefusedError):
        get(counting.gate(), "http://127.0.0.1:1/")
    assert (counting.total(), counting.entries()) == (Amounts(), [])


def test_an_answer_that_breaks_off_is_counted_up_to_its_end(
    counting: Counting, server: HttpServer
) -> None:
    server.routes["/half"] = Reply(b"x" * 100, claims=1000)
    with pytest.raises(FetchError):
        get(counting.gate(), server.origin + "/half")
    assert counting.total() == Amounts(1, 100)


def test_no_key_gets_into_the_ledger_and_its_name_does(
    counting: Counting, server: HttpServer
) -> None:
    gate = counting.gate()
    get(gate, server.origin + "/page", q="rust async", key=KEY)
    body: dict[str, object] = {"query": "tides", "token": KEY}
    asyncio.run(gate.post(server.origin + "/page", body=body, headers={"x-key": KEY}))
    asyncio.run(gate.get(server.origin + "/page", headers={"authorization": f"Bearer {KEY}"}))
    asked, sent, signed = [entry.sending for entry in counting.entries()]
    assert asked.what == f"GET {server.origin}/page?q=rust+async&key={{api-key}}"
    assert sent.what == f'POST {server.origin}/page {{"query":"tides","token":"{{api-key}}"}}'
    assert signed.keys == asked.keys == sent.keys == ("api-key",)
    assert asked.host == "127.0.0.1"
    assert "secret" not in "".join(
        str(dict(row)) for row in counting.db.rows("SELECT * FROM ledger")
    )


def test_when_the_budget_is_used_up_nothing_is_sent(counting: Counting, server: HttpServer) -> None:
    gate = counting.gate(*caps_of(Span.DAY, requests=2))
    for _ in range(2):
        get(gate, server.origin + "/page")
    with pytest.raises(SpentError, match="today's 2 requests are used up"):
        get(gate, server.origin + "/page")
    assert len(server.asked) == 2


def test_a_body_that_is_more_than_the_budget_is_left_where_it_ends(
    counting: Counting, server: HttpServer
) -> None:
    server.routes["/big"] = Reply(b"x" * 3_000_000)
    with pytest.raises(SpentError, match=r"today's 1 MB is used up"):
        get(counting.gate(*caps_of(Span.DAY, mb=1)), server.origin + "/big")
    came = counting.total().bytes
    assert 1_000_000 <= came <= 1_000_000 + READ


def test_at_least_as_much_is_counted_as_arrives(tmp_path: Path) -> None:
    counting = Counting(tmp_path, "http://127.0.0.1:1")
    ledger = counting.ledger()
    sending = Sending("api", "question", amounts=Amounts(1, FIRST))
    id_, room = ledger.reserve(sending)
    counted = Counted(ledger, id_, room, ())
    came = writes = 0
    before = counting.total().bytes
    while came < 5_000_000:
        assert counting.total().bytes >= came + READ  # whatever is read next is counted already
        came += READ
        counted.take(READ)
        writes += counting.total().bytes != before
        before = counting.total().bytes
    assert writes < 5_000_000 / MAX_COUNTED_BYTES + 10
    counted.settle()
    assert counting.total() == Amounts(1, came)
    counting.db.close()


def test_only_tool_calls_to_an_mcp_server_count_against_the_budget(
    counting: Counting, server: HttpServer
) -> None:
    gate = counting.gate(price=0.002)
    for method in ("initialize", "tools/call", "notifications/initialized"):
        body: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        asyncio.run(gate.post(server.origin + "/page", body=body))
    assert (counting.total().requests, counting.total().money) == (3, 2000)


def test_requests_to_a_local_program_are_counted_too(counting: Counting) -> None:
    meter = Meter(counting.ledger(), "papers", price=0.001, keys={"papers-key": KEY})
    with meter.command("npx", f"search {KEY} tides") as counted:
        counted.take(700)
    (entry,) = counting.entries()
    assert (entry.sending.host, entry.sending.what) == ("program npx", "search {papers-key} tides")
    assert counting.total() == Amounts(1, 700, 1000)


def test_robots_txt_is_counted_as_such_and_a_page_only_when_it_may_be_fetched(
    counting: Counting, server: HttpServer
) -> None:
    server.routes["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /private", 200, "text/plain")
    ledger = counting.ledger()
    origin = [server.origin]
    rules = a_gate(allow_origins=origin).counted_by(Meter(ledger, "robots.txt", kind="robots.txt"))
    robots = Robots(rules)
    pages = a_gate(allow_origins=origin, admit=robots.admit)
    pages = pages.counted_by(Meter(ledger, "documents", kind="document"))
    get(pages, server.origin + "/page")
    with pytest.raises(DisallowedError):
        get(pages, server.origin + "/private/page")
    kinds = [(entry.sending.kind, entry.sending.amounts.bytes) for entry in counting.entries()]
    assert kinds == [("robots.txt", 32), ("document", 5000)]


def test_a_used_up_budget_is_not_taken_for_a_site_in_trouble(
    counting: Counting, server: HttpServer
) -> None:
    spent, more = caps_of(Span.DAY, requests=1), caps_of(Span.DAY, requests=100)
    counting.ledger().record(Sending("arxiv", "question"))
    ledger = counting.ledger(*spent)
    robots = Robots(a_gate(allow_origins=[server.origin]).counted_by(Meter(ledger, "robots.txt")))
    for _ in range(2):
        with pytest.raises(SpentError):
            asyncio.run(robots.admit(server.origin + "/page"))
    ledger.caps = tuple(more)  # as on the next day
    asyncio.run(robots.admit(server.origin + "/page"))
    assert [each.path for each in server.asked] == ["/robots.txt"]


def test_a_process_that_is_killed_while_it_waits_has_counted_its_request(
    tmp_path: Path, server: HttpServer
) -> None:
    """kill -9, once the server has the request and before it answers."""
    arrived = threading.Event()

    def hang(_asked: Asked) -> Reply:
        arrived.set()
        return Reply(silent=True)

    server.routes["/page"] = hang
    file = str(tmp_path / "lacuna.db")
    child = subprocess.Popen([sys.executable, "-c", ASKING, file, server.origin], cwd=ROOT)
    try:
        assert arrived.wait(60)
    finally:
        child.kill()
        child.wait()
    with closing(Database(tmp_path / "lacuna.db")) as db:
        (entry,) = Spent(db).entries()
        assert entry.sending.amounts == Amounts(1, FIRST, 5000)
        assert not entry.is_settled
