"""A hub's server on the loopback, in this process, over a real database."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

from daemon.faces.hub.hub_server import hub_application, hub_server
from daemon.hub.database import Database
from daemon.hub.worker_jobs import Jobs
from daemon.model.clock import now
from daemon.usecases.hub_service import HubService


@contextmanager
def serving(url: str, port: int = 0) -> Iterator[str]:
    """Serve the hub in the database at `url`; yield the server's own address."""
    listener = socket.create_server(("127.0.0.1", port))  # waits for the server to take over
    port = listener.getsockname()[1]
    database = Database(url)
    with closing(HubService(database, Jobs(database), now)) as service:
        server = hub_server(hub_application(service), "127.0.0.1", port, None, None)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
