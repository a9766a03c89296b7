"""The process that speaks with one provider of language models.

It is confined: no files but the libraries, no other program, connections to the port of the base
URL only. The first line of its stdin is the connection, with the key. Then, one JSON object a line:

{"id", "model", "system", "user", "schema", "max_tokens", "temperature", "seconds",
 "stream"}                               a call
{"id", "list": true}                    asks for the names of the provider's models
{"cancel": id}                          ends a call; it gets no answer any more

and on stdout:

{"ready": true, "unconfined": [why, …]} the first line
{"id", "text": piece}                   a piece of the answer as it comes
{"id", "done": {…}}                     the answer, or the list
{"id", "error": {"kind", "message", "retry_after"}}
"""

import argparse
import asyncio
import json
import logging
import os
import resource
import sys
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any, BinaryIO

from daemon.adapters.llm.failures import failure_of
from daemon.adapters.llm.providers import Provider, provider_of
from daemon.confinement.child import missing
from daemon.model.language_models import Connection, ProviderKind

_MAX_REQUEST_BYTES = 16_000_000  # bytes
_MEMORY = 2_000_000_000  # bytes of address space


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--idle", type=float, required=True, help="seconds")
    options = parser.parse_args()
    logging.disable()  # what goes wrong is the answer; a log would repeat it with its data
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not end up among the answers
    with suppress(TimeoutError, BrokenPipeError):
        asyncio.run(_serve(answers, options.idle))
    os._exit(0)  # connections that are still open have no use for an orderly end


async def _serve(answers: BinaryIO, idle_seconds: float) -> None:
    requests = await _reader()
    line = await requests.readline()
    if not line:
        return
    settings = json.loads(line)
    provider = provider_of(
        Connection(ProviderKind(settings["kind"]), settings["base_url"], settings.get("key", ""))
    )
    _send(answers, {"ready": True, "unconfined": missing})
    calls: dict[int, asyncio.Task[None]] = {}
    while line := await _next(requests, calls, idle_seconds):
        request = json.loads(line)
        if "cancel" in request:
            task = calls.pop(request["cancel"], None)
            if task is not None:
                task.cancel()
            continue
        task = asyncio.create_task(_answer(provider, request, answers))
        calls[request["id"]] = task
        task.add_done_callback(partial(_forget, calls, request["id"]))


def _forget(calls: dict[int, asyncio.Task[None]], id_: int, _task: asyncio.Task[None]) -> None:
    calls.pop(id_, None)


async def _next(
    requests: asyncio.StreamReader, calls: dict[int, asyncio.Task[None]], idle_seconds: float
) -> bytes:
    """Return the next line, b"" at the end of the input. Raises TimeoutError when idle."""
    reading = asyncio.ensure_future(requests.readline())
    while True:
        done, _ = await asyncio.wait([reading], timeout=idle_seconds)
        if done:
            return await reading
        if not calls:
            raise TimeoutError


async def _answer(provider: Provider, request: dict[str, Any], answers: BinaryIO) -> None:
    id_ = request["id"]
    try:
        if "list" in request:
            models = [asdict(each) for each in await provider.models()]
            _send(answers, {"id": id_, "done": {"models": models}})
            return
        async with asyncio.timeout(float(request["seconds"])):
            done = await provider.ask(
                request, lambda piece: _send(answers, {"id": id_, "text": piece})
            )
        _send(answers, {"id": id_, "done": done})
    except Exception as error:  # noqa: BLE001  # whatever breaks a call is that call's answer
        _send(answers, {"id": id_, "error": failure_of(error)})


def _send(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


async def _reader() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=_MAX_REQUEST_BYTES)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin.buffer)
    return reader


if __name__ == "__main__":
    main()
