"""Isolate failures of one part of the work: reported once, retried after a while."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from daemon.cycle.announce import Announcements
from daemon.host.due import Due
from daemon.model.errors import (
    CorruptStoreError,
    LacunaError,
    StoppedError,
    StoreError,
    UnreadableStoreError,
)
from daemon.model.errors import VaultError as WritingError
from daemon.ports import Stop
from vault_adapters.base import VaultError

_log = logging.getLogger(__name__)
_RETRY = timedelta(minutes=1)  # after which a failed part is retried
_MAX_RETRY_DELAY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Failure:
    """The error of a part of the work, and when that part is retried."""

    line: str
    retry_at: datetime
    tries: int = 1


@dataclass(slots=True)
class Isolation:
    """Runs the parts of the work so that a failure of one does not affect the others."""

    announce: Announcements
    due: Due
    now: Callable[[], datetime]
    stop: Stop
    _failures: dict[str, Failure] = field(default_factory=dict)

    def run(self, name: str, part: Callable[[], object]) -> None:
        """Run one part; an error is one line in the log, and the part is retried after a while.

        A part that returns False has not succeeded yet. A corrupt database is passed on: nothing
        can continue with it. A fault of the program is logged with its traceback, and retried later
        each time.
        """
        if self.stop.is_requested or not self.may_try(name):
            return
        try:
            is_done = part() is not False
        except StoppedError as error:
            _log.info("%s", error)
        except (CorruptStoreError, UnreadableStoreError):
            raise
        except (LacunaError, VaultError) as error:
            self._failed(name, error)
        except Exception as error:  # noqa: BLE001 a fault in one part ends that part only
            # Otherwise the daemon would end, be started again, and meet the same note.
            _log.exception("%s: an error of Lacuna", name)
            why = f"{name}: an error of Lacuna ({type(error).__name__}); see its log"
            self._failed(name, LacunaError(why), is_fault=True)
        else:
            if is_done and self._failures.pop(name, None) is not None:
                _log.info("the %s recovered", name)
                self.announce.recovered(name, self.now())

    def may_try(self, name: str) -> bool:
        """Return whether a part may run: it has not failed, or long enough ago."""
        failure = self._failures.get(name)
        return failure is None or self.now() >= failure.retry_at

    @property
    def has_failures(self) -> bool:
        """Whether a part has failed and not succeeded since."""
        return bool(self._failures)

    def failure(self, name: str) -> str:
        """Return the error of a part, or ""."""
        failure = self._failures.get(name)
        return failure.line if failure is not None else ""

    def _failed(
        self, name: str, error: LacunaError | VaultError, *, is_fault: bool = False
    ) -> None:
        is_news = all(known.line != str(error) for known in self._failures.values())
        before = self._failures.get(name)
        tries = before.tries + 1 if before is not None else 1
        retry_at = self.now() + (_backoff(tries) if is_fault or name == "embedding" else _RETRY)
        self._failures[name] = Failure(str(error), retry_at, tries)
        _log.log(logging.ERROR if is_news else logging.DEBUG, "%s", error)
        self.announce.trouble(name, str(error), self.now(), is_new=is_news)
        # The vault may be another one now: scan it before anything else is retried.
        is_vault = isinstance(error, VaultError | WritingError)
        self.due.sync |= is_vault
        self.due.whole |= is_vault
        self.due.resume |= isinstance(error, StoreError | VaultError | WritingError)


def _backoff(tries: int) -> timedelta:
    """Return the wait after so many failures: doubled each time, up to an hour."""
    return min(_RETRY * (1 << min(tries - 1, 10)), _MAX_RETRY_DELAY)
