"""What holds over all servers of one hub: limits are counted in the database."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx

from daemon.hub.database import Database
from daemon.hub.members import People, Role
from daemon.hub.rates import RATES
from tests.fakes.hub_site import serving


def test_two_servers_together_admit_as_many_requests_as_one(database: Database) -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        people.add("ben")
        token = people.new_token("ben", "laptop", datetime.now(UTC), timedelta(days=1))

    def ask(address: str) -> httpx.Response:
        bearer = {"Authorization": f"Bearer {token}"}
        return httpx.get(f"{address}/hub/v1/account", headers=bearer, timeout=60)

    with (
        serving(database.url) as one,
        serving(database.url) as other,
        ThreadPoolExecutor(8) as pool,
    ):
        answers = list(pool.map(ask, [one, other] * 18))
    burst = RATES[Role.READER].burst
    assert Counter(each.status_code for each in answers) == {200: burst, 429: 36 - burst}
    waits = [int(each.headers["retry-after"]) for each in answers if each.status_code == 429]
    assert all(0 < wait <= 60 for wait in waits)
