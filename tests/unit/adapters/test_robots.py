"""What sites ask of programs is asked once a day, understood as RFC 9309 says, and kept to."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

import pytest

from daemon.adapters.fetch import identity
from daemon.adapters.robots import (
    CACHED_FOR,
    FAILURE_CACHED_FOR,
    MAX_CACHED_SITES,
    MAX_WAIT,
    TOKEN,
    Robots,
    parse,
)
from daemon.model.errors import DisallowedError, FetchError, OfflineError, RefusedError
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Reply, serving
from tests.fakes.ways import Sites

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
SITE = "https://sea.example"
ROBOTS = f"{SITE}:443/robots.txt"


class Clock:
    def __init__(self) -> None:
        self.now = NOW
        self.slept: list[float] = []

    def __call__(self) -> datetime:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += timedelta(seconds=seconds)


def robots_of(answer: bytes | int | FetchError) -> tuple[Robots, Sites, Clock]:
    sites, clock = Sites({ROBOTS: answer}), Clock()
    return Robots(sites, clock=clock, sleep=clock.sleep), sites, clock


def admits(answer: bytes | int | FetchError, path: str) -> bool:
    robots, _, _ = robots_of(answer)
    try:
        asyncio.run(robots.admit(SITE + path))
    except DisallowedError:
        return False
    return True


@pytest.mark.parametrize(
    ("rules", "path", "admitted"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /a", "/b", True),
        ("user-AGENT: *\nDISALLOW: /a", "/a/b?c=d", False),
        ("User-agent: *\nDisallow: /\nAllow: /a", "/a", True),
        ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf?x", True),
        ("User-agent: *\nDisallow: /*/private", "/x/private", False),
        ("User-agent: *\nDisallow: /%7Eme", "/~me/x", False),
        ("User-agent: *\nDisallow: /ü", "/%C3%BC", False),
        ("User-agent: Lacuna\nDisallow: /", "/a", False),
        ("User-agent: LACUNA/1.0\nDisallow: /", "/a", False),
        ("User-agent: lac\nDisallow: /", "/a", True),
        ("User-agent: lacunabot\nDisallow: /", "/a", True),
        ("User-agent: Googlebot\nDisallow: /", "/a", True),
        ("User-agent: Googlebot\nUser-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: lacuna\nAllow: /", "/a", True),
        ("User-agent: lacuna\nDisallow: /a\n\nUser-agent: lacuna\nDisallow: /b", "/b", False),
        ("User-agent: *  # all of you\nDisallow: /a # no", "/a", False),
        ("Disallow: /", "/a", True),
        ("<html><body>Disallow: /</body></html>", "/a", True),
        ("User-agent: *\nSitemap: https://evil.example/\nDisallow: /", "/a", False),
        ("\ufeffUser-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\r\nDisallow: /\r\n", "/a", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
    ],
)
def test_rules_are_understood_as_the_rfc_says(rules: str, path: str, admitted: bool) -> None:
    assert admits(rules.encode(), path) is admitted


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 204])
def test_where_there_is_no_robots_txt_everything_is_allowed(status: int) -> None:
    assert admits(status, "/a")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (429, "HTTP 429"),
        (500, "HTTP 500"),
        (503, "HTTP 503"),
        (304, "HTTP 304"),
        (FetchError("sea.example: more than 5 redirects"), "more than 5 redirects"),
    ],
)
def test_a_site_that_cannot_say_is_left_alone_for_a_while(
    answer: int | FetchError, why: str
) -> None:
    robots, sites, clock = robots_of(answer)
    for _ in range(2):
        with pytest.raises(FetchError, match=rf"could not read its robots\.txt \(.*{why}"):
            asyncio.run(robots.admit(SITE + "/a"))
    assert len(sites.tried) == 1
    clock.now += FAILURE_CACHED_FOR
    sites.pages = {ROBOTS: b""}
    asyncio.run(robots.admit(SITE + "/a"))


@pytest.mark.parametrize("error", [RefusedError("refused: inside"), OfflineError("no such host")])
def test_what_keeps_us_from_the_site_itself_is_reported_as_it_is(error: FetchError) -> None:
    robots, _, _ = robots_of(error)
    with pytest.raises(type(error), match=str(error)):
        asyncio.run(robots.admit(SITE + "/a"))


def test_a_site_is_asked_once_a_day_however_many_pages_are_wanted() -> None:
    robots, sites, clock = robots_of(b"User-agent: *\nDisallow: /no")

    async def many() -> None:
        await asyncio.gather(*(robots.admit(f"{SITE}/{n}") for n in range(20)))

    asyncio.run(many())
    asyncio.run(robots.admit(SITE + "/other-loop"))
    assert sites.tried == [f"site {ROBOTS}"]
    clock.now += CACHED_FOR
    asyncio.run(robots.admit(SITE + "/a"))
    assert len(sites.tried) == 2


def test_every_origin_has_rules_of_its_own() -> None:
    robots, sites, _ = robots_of(b"User-agent: *\nDisallow: /")
    for url in ("http://sea.example/a", "https://www.sea.example/a", "https://[2606:4700::1]/a"):
        asyncio.run(robots.admit(url))
    assert sites.tried == [
        "site http://sea.example:80/robots.txt",
        "site https://www.sea.example:443/robots.txt",
        "site https://[2606:4700::1]:443/robots.txt",
    ]


def test_what_is_out_of_date_is_forgotten_when_there_is_much_of_it() -> None:
    robots, _, clock = robots_of(404)

    async def many() -> None:
        for number in range(MAX_CACHED_SITES):
            await robots.admit(f"https://s{number}.example/")

    asyncio.run(many())
    clock.now += CACHED_FOR
    asyncio.run(robots.admit(SITE + "/a"))
    assert len(robots._known) == 1


def test_a_site_that_asks_for_time_between_pages_gets_it_up_to_a_limit() -> None:
    robots, _, clock = robots_of(b"User-agent: *\nCrawl-delay: 1.5")

    async def three() -> None:
        for number in range(3):
            await robots.wait_turn(f"{SITE}/{number}")

    asyncio.run(three())
    assert clock.slept == [1.5, 1.5]
    robots, _, clock = robots_of(b"User-agent: *\nCrawl-delay: 3600")
    asyncio.run(three())
    assert clock.slept == [MAX_WAIT, MAX_WAIT]
    robots, _, clock = robots_of(404)
    asyncio.run(three())
    assert clock.slept == []


def test_a_hostile_robots_txt_takes_no_more_than_a_moment() -> None:
    agents = "".join(f"User-agent: bot{n}\n" for n in range(15_000))
    rules = "".join(f"Disallow: /{n}*a*b*c*d\n" for n in range(15_000))
    began = time.process_time()
    assert parse((agents + rules).encode()).can_fetch(f"{SITE}/{'abc' * 1000}", TOKEN)
    starred = f"User-agent: *\nDisallow: /{'*a' * 200_000}b\n"
    assert parse(starred.encode()).can_fetch(f"{SITE}/{'a' * 4000}", TOKEN)
    assert time.process_time() - began < 20


def test_more_than_the_rfc_asks_for_is_not_read() -> None:
    rules = b"User-agent: *\n" + b"# padding\n" * 60_000 + b"Disallow: /\n"
    assert admits(rules, "/a")


def test_the_token_is_the_name_that_we_go_by() -> None:
    assert identity().lower().startswith(f"{TOKEN}/")


def test_the_gate_asks_before_every_page_and_on_every_hop() -> None:
    with serving() as site, serving() as closed:
        site.routes["/robots.txt"] = Reply(
            b"User-agent: *\nDisallow: /no", content_type="text/plain"
        )
        closed.routes["/robots.txt"] = Reply(b"User-agent: lacuna\nDisallow: /")
        site.routes["/page"] = Reply(b"here")
        site.routes["/to-no"] = Reply(status=302, headers={"Location": "/no"})
        site.routes["/away"] = Reply(status=302, headers={"Location": closed.origin + "/x"})
        origins = [site.origin, closed.origin]
        robots = Robots(a_gate(allow_origins=origins))
        gate = a_gate(allow_origins=origins, admit=robots.admit)
        assert asyncio.run(gate.get(site.origin + "/page")).body == b"here"
        for path in ("/no", "/to-no", "/away"):
            with pytest.raises(DisallowedError, match=r"its robots\.txt asks"):
                asyncio.run(gate.get(site.origin + path))
        assert [asked.path for asked in site.asked] == ["/robots.txt", "/page", "/to-no", "/away"]
        assert [asked.path for asked in closed.asked] == ["/robots.txt"]
        assert site.asked[0].headers["user-agent"] == identity()
