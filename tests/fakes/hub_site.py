"""A hub's server on the loopback, in this process, over a real database."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime

from daemon.faces.hub.hub_server import hub_application, hub_server
from daemon.hub.database import Database
from daemon.hub.worker_jobs import Jobs
from daemon.model.clock import now
from daemon.model.sign_in import Admission
from daemon.usecases.hub_logins import Provider, SignIn
from daemon.usecases.hub_service import HubService


def a_service(
    database: Database, now: Callable[[], datetime], provider: Provider | None = None
) -> HubService:
    """Return the service of a hub; without a provider, it has no single sign-on."""
    sign_in = SignIn(database, provider, Admission(days=30), now)
    return HubService(database, Jobs(database), now, sign_in)


@contextmanager
def serving(
    url: str, port: int = 0, sign_in: Callable[[str], Provider] | None = None
) -> Iterator[str]:
    """Serve the hub in the database at `url`; yield the server's own address.

    `sign_in` makes the client of a provider, for the hub's address.
    """
    listener = socket.create_server(("127.0.0.1", port))  # waits for the server to take over
    port = listener.getsockname()[1]
    database = Database(url)
    provider = sign_in(f"http://127.0.0.1:{port}") if sign_in is not None else None
    with closing(a_service(database, now, provider)) as service:
        server = hub_server(hub_application(service), "127.0.0.1", port, None, None)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
