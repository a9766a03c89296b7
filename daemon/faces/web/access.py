"""Who may use the web server: programs with the token, and browsers that opened a login link."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest
from secrets import token_urlsafe

from daemon.faces.request_rate import RequestRate

KNOWN = "is_known"  # in the state of a request: who sends it has the token or a session
_CODE_SECONDS = 120.0  # that a login link works
_MAX_CODES = 16
_MAX_SESSIONS = 64
_SESSION_SECONDS = 12 * 3600.0  # without a request, after which a browser is signed out
_BYTES = 32
_TRIES = 10  # of the password, per minute and machine
_FAILURES = 1200  # wrong tokens and codes of all programs together, per minute


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser. `form_token` is sent in a header with each change."""

    id: str
    form_token: str


def is_same(given: str, secret: str) -> bool:
    """Compare a secret in a time that says nothing about it."""
    return compare_digest(given.encode(), secret.encode())


class Access:
    """Knows the token, the login codes and the sessions; only the token outlives the process.

    Browsers send a cookie to all ports of a machine, so its name, `cookie`, includes `port`.
    """

    def __init__(
        self,
        token: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
        *,
        port: int = 0,
        is_password: Callable[[str], bool] | None = None,
    ) -> None:
        """`token` returns the current one: it may be replaced at any time, which ends all sessions.

        With `is_password`, browsers of other machines may sign in, over TLS only.
        """
        self.cookie = f"lacuna_session_{port}"
        self._token = token
        self._known = token()
        self._is_password = is_password
        self._tries, self._failures = RequestRate(_TRIES), RequestRate(_FAILURES)
        self._clock = clock
        self._codes: dict[str, float] = {}
        self._sessions: dict[str, Session] = {}
        self._used_at: dict[str, float] = {}  # of each session

    def is_token(self, token: str) -> bool:
        """Return whether a program knows the token; takes as long for a wrong one."""
        return is_same(token, self._current())

    def _current(self) -> str:
        """Return the token; a new one ends the sessions and login codes that were before it."""
        if (token := self._token()) != self._known:
            self._known = token
            self._codes.clear()
            self._sessions.clear()
            self._used_at.clear()
        return token

    def ending(self, session: Session | None) -> Callable[[], bool]:
        """Return what says whether a program, or a session, may no longer use the server.

        It may be called on any thread.
        """
        token = self._current()

        def has_ended() -> bool:
            is_left = session is not None and session.id not in self._sessions
            return is_left or self._token() != token

        return has_ended

    def new_code(self) -> str:
        """Return a code that signs in one browser, once, within two minutes."""
        self._current()
        now = self._clock()
        valid = [each for each in self._codes.items() if each[1] > now]
        self._codes = dict(valid[-_MAX_CODES + 1 :])
        code = token_urlsafe(_BYTES)
        self._codes[code] = now + _CODE_SECONDS
        return code

    def sign_in(self, code: str) -> Session | None:
        """Return a new session for a valid code, which is then used up."""
        self._current()
        matching = [each for each in self._codes if is_same(each, code)]
        if not matching or self._codes.pop(matching[0]) <= self._clock():
            return None
        return self._new_session()

    @property
    def has_password(self) -> bool:
        """Whether browsers may sign in with a password, which means that there is TLS."""
        return self._is_password is not None

    def wait_after_failure(self) -> int:
        """Count a wrong token or code; return 0, or the seconds to wait if there were too many."""
        return self._failures.wait("")

    def wait_to_try(self, machine: str) -> int:
        """Count a try of the password; return 0, or the seconds to wait if there were too many."""
        return self._tries.wait(machine)

    def sign_in_by_password(self, password: str) -> Session | None:
        """Return a new session for the password; takes as long for a wrong one."""
        if self._is_password is None or not self._is_password(password):
            return None
        return self._new_session()

    def _new_session(self) -> Session:
        self._current()
        session = Session(token_urlsafe(_BYTES), token_urlsafe(_BYTES))
        while len(self._sessions) >= _MAX_SESSIONS:
            self.sign_out(next(iter(self._sessions)))
        self._sessions[session.id] = session
        self._used_at[session.id] = self._clock()
        return session

    def sign_out(self, id_: str) -> None:
        """End a session."""
        self._sessions.pop(id_, None)
        self._used_at.pop(id_, None)

    def session(self, id_: str) -> Session | None:
        """Return the session of a cookie, unless it has ended or was not used for twelve hours."""
        self._current()
        now = self._clock()
        if id_ in self._sessions and now - self._used_at[id_] > _SESSION_SECONDS:
            self.sign_out(id_)
        if id_ in self._sessions:
            self._used_at[id_] = now
        return self._sessions.get(id_)
