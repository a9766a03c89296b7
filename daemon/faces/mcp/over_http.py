"""The same server over streamable HTTP, for clients that connect to an address."""

from contextlib import AbstractAsyncContextManager

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager

from daemon.faces.mcp.server import Answer, server_for

_MAX_BODY = 1_000_000  # bytes
_MAX_SESSIONS = 16
_IDLE = 1800.0  # seconds without a request, after which a session ends


class HttpServer:
    """An application to serve at a path, and its sessions. Who may connect is checked before it."""

    path = "/mcp"

    def __init__(self, answer: Answer, *, allow_actions: bool) -> None:
        self._sessions = StreamableHTTPSessionManager(
            server_for(answer, allow_actions=allow_actions),
            max_request_body_size=_MAX_BODY,
            max_sessions=_MAX_SESSIONS,
            session_idle_timeout=_IDLE,
        )
        self.app = StreamableHTTPASGIApp(self._sessions)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the block in which sessions are served."""
        return self._sessions.run()
