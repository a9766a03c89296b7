"""The same server over streamable HTTP, for clients that connect to an address."""

from contextlib import AbstractAsyncContextManager

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager

from daemon.faces.mcp.server import Answer, Record, server_for

_MAX_BODY = 1_000_000  # bytes


class HttpServer:
    """An application to serve at a path. Who may connect is checked before it.

    It has no sessions: clients that come and go cannot use them up.
    """

    path = "/mcp"

    def __init__(self, answer: Answer, record: Record, *, allow_actions: bool) -> None:
        self._sessions = StreamableHTTPSessionManager(
            server_for(answer, record, allow_actions=allow_actions),
            stateless=True,
            max_request_body_size=_MAX_BODY,
        )
        self.app = StreamableHTTPASGIApp(self._sessions)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the block in which it is served."""
        return self._sessions.run()
