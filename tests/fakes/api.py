"""One source, asked one question, with a body that is given to it."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

from daemon.adapters.sources import load_registry
from daemon.adapters.sources.build import SOURCES
from daemon.adapters.sources.entry import Entry
from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.source_parts import Parts
from daemon.model.evidence import Answer, Hit
from tests.fakes.extractor import FakeExtractor
from tests.fakes.fetcher import FakeFetcher, answered

BASE = "https://api.example"
QUESTION = "harbour tides"


async def no_wait(seconds: float) -> None:
    """Let time pass at once."""


def ask(kind: str, fetcher: FakeFetcher, query: str = QUESTION, **more: object) -> Answer:
    """Ask the source of this kind; `more` are settings of its entry, or key, contact and limit."""
    limit = more.pop("limit", 10)
    key = str(more.pop("key", "key-1"))
    contact = str(more.pop("contact", "ada@example.org"))
    update: Mapping[str, object] = {"base_url": BASE, "rate": Rate(), **more}
    parts = Parts(
        name=kind,
        entry=load_registry()[kind].model_copy(update=update),
        fetcher=fetcher,
        extractor=FakeExtractor(),
        embedder=None,
        library=None,
        cache_dir=Path("nowhere"),
        key=key,
        contact=contact,
        sleep=no_wait,
    )
    source = next(each for each in SOURCES if each.kind == kind)
    assert isinstance(limit, int)
    return asyncio.run(source.build(parts).search(query, limit=limit))


def ask_entry(
    name: str, fetcher: FakeFetcher, query: str = QUESTION, *, limit: int = 10, **changes: object
) -> Answer:
    """Ask a source of the registry as it stands there, with `changes` to its entry."""
    entry = load_registry()[name]
    entry = entry.model_copy(update={"rate": Rate(), **changes})
    return ask_checked(name, entry, fetcher, query, limit=limit)


def ask_checked(
    name: str,
    entry: Entry,
    fetcher: FakeFetcher,
    query: str = QUESTION,
    *,
    limit: int = 10,
    keys: Mapping[str, str] | None = None,
) -> Answer:
    """Ask a source with this entry; it has a key where it cannot do without."""
    wanted = () if entry.key_optional else entry.keys
    known = dict.fromkeys(wanted, "key-1") if keys is None else keys
    parts = Parts(
        name=name,
        entry=entry,
        fetcher=fetcher,
        extractor=FakeExtractor(),
        embedder=None,
        library=None,
        cache_dir=Path("nowhere"),
        key=known.get(entry.api_key, ""),
        keys=known,
        contact="ada@example.org",
        sleep=no_wait,
    )
    source = next(each for each in SOURCES if each.kind == entry.adapter)
    return asyncio.run(source.build(parts).search(query, limit=limit))


def serving(body: object, path: str) -> FakeFetcher:
    """Answer at one path of the API with a body, as JSON unless it is bytes."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return FakeFetcher({BASE + path: answered(BASE + path, raw)})


def hits_of(kind: str, body: object, path: str, **more: object) -> tuple[Hit, ...]:
    return ask(kind, serving(body, path), QUESTION, **more).hits
