"""The other side of `work_process`: carries out what a web server requests of its own process."""

import json
import logging
import threading
from contextlib import suppress
from typing import IO, Any

from pydantic import ValidationError

from daemon.host.work_process import NOTHING
from daemon.model.errors import LacunaError
from daemon.model.event import BaseEvent, line_of
from daemon.ports import Stop
from daemon.usecases.command import Command
from daemon.usecases.commands import COMMANDS
from daemon.usecases.in_process import InProcess
from daemon.usecases.queries import QUERIES
from daemon.usecases.query import Query
from vault_adapters.base import VaultError

_log = logging.getLogger(__name__)
_Part = dict[str, Any]


class ServedWork:
    """Carries out what is requested, each on a thread of its own."""

    def __init__(self, given: IO[str], answers: IO[str]) -> None:
        self._given, self._answers = given, answers
        self._guard = threading.Lock()
        self._stops: dict[int, Stop] = {}  # of the work in progress

    def orders(self) -> _Part:
        """Read the first line."""
        orders: _Part = json.loads(self._given.readline())
        return orders

    def refuse(self, error: Exception) -> None:
        """Answer the first request with the reason why the vault could not be opened."""
        self._answer(_failed(json.loads(self._given.readline())["id"], error))

    def run(self, work: InProcess) -> None:
        """Work until nothing more is given; what is in progress then is stopped."""
        threads: list[threading.Thread] = []
        for line in self._given:
            sent = json.loads(line)
            if "stop" in sent:
                self._request_stop(sent["id"])
                continue
            self._stops[sent["id"]] = Stop()
            thread = threading.Thread(target=self._work, args=(work, sent), daemon=True)
            threads = [*filter(threading.Thread.is_alive, threads), thread]
            thread.start()
        for id_ in list(self._stops):
            self._request_stop(id_)
        for thread in threads:
            thread.join()
        work.end()

    def _request_stop(self, id_: int) -> None:
        if (stop := self._stops.get(id_)) is not None:
            stop.is_requested = True

    def _work(self, work: InProcess, sent: _Part) -> None:
        """Carry out one request; an error in it ends nothing else."""
        id_, name = sent["id"], sent["name"]
        try:
            document = self._document(work, sent) if name != NOTHING else None
            self._answer({"id": id_, "document": document})
        except ValidationError:  # a query by its name: who asked says what is wrong with it
            self._answer({"id": id_, "document": None})
        except (LacunaError, VaultError) as error:
            self._answer(_failed(id_, error))
        except Exception as error:  # noqa: BLE001 a fault in one request ends that request only
            _log.exception("%s failed", name)
            why = f"an error of Lacuna: {type(error).__name__}; see its log"
            self._answer({"id": id_, "error": why, "kinds": []})
        finally:
            del self._stops[id_]

    def _document(self, work: InProcess, sent: _Part) -> Any:
        id_, name = sent["id"], sent["name"]

        def show(event: BaseEvent) -> None:
            self._write(f'{{"id": {id_}, "event": {line_of(event)}}}')

        use: Query[Any, Any] | Command[Any, Any] = (
            QUERIES[name] if name in QUERIES else COMMANDS[name]
        )
        request = use.request.model_validate(sent["body"])
        return work(use, request, show, self._stops[id_], sent.get("key", ""))

    def _answer(self, part: _Part) -> None:
        self._write(json.dumps(part))

    def _write(self, line: str) -> None:
        with self._guard, suppress(OSError, ValueError):  # nobody reads any more
            self._answers.write(f"{line}\n")
            self._answers.flush()


def _failed(id_: int, error: Exception) -> _Part:
    kinds = [each.__name__ for each in type(error).__mro__]
    return {"id": id_, "error": str(error), "kinds": kinds}
