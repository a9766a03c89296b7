"""A worker of a hub in a process of its own, whose model and services are slow: `URL FILE [MODEL]`.

Each request that it sends is a line of FILE. With MODEL, passages are embedded by the real model on
one thread, and nothing else is done.
"""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from bench.hub_tools import slow_tools
from daemon.composition import open_models
from daemon.config import load_settings
from daemon.hub.database import Database
from daemon.hub.waiting_chunks import EMBED
from daemon.hub.worker_jobs import QUEUES, work
from daemon.ports import Embedder


@contextmanager
def _real_model() -> Iterator[Embedder]:
    flags = {"embedding.threads": 1}
    with open_models(load_settings(None, must_exist=False, needs_vault=False, flags=flags)) as (
        model,
        _,
    ):
        model.embed(["Rye is sour."])  # it is loaded with the first passage
        yield model


def main(url: str, sent: Path, *, is_real: bool) -> None:
    with closing(Database(url)) as database:
        tools = slow_tools(database, sent)
        if not is_real:
            asyncio.run(work(database, tools, QUEUES))
            return
        with _real_model() as model:
            asyncio.run(work(database, replace(tools, embedder=model), [EMBED]))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), is_real=len(sys.argv) > 3)
