"""Wait for what workers answer."""

import anyio
from anyio.to_thread import run_sync

from daemon.model.shared_requests import RequestAnswer, RequestState
from daemon.usecases.hub_service import Caller, HubService

_FIRST_EVERY, _LAST_EVERY = 0.1, 1.0  # seconds between looks for an answer, at first and later


async def answered_within(
    seconds: float, service: HubService, person: Caller, key: bytes
) -> RequestAnswer:
    """Return the answer to a request as soon as it is there, or after some time that it is not."""
    until, every = anyio.current_time() + seconds, _FIRST_EVERY
    found = await run_sync(service.answered, person, key)
    while found.state is RequestState.WAITING and anyio.current_time() < until:
        await anyio.sleep(every)
        every = min(2 * every, _LAST_EVERY)
        found = await run_sync(service.answered, person, key)
    return found
