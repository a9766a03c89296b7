"""All sources, and the usable ones built from the registry."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from daemon.adapters.fetch import Gate
from daemon.adapters.meter import Meter
from daemon.adapters.sources.arxiv import ArxivSource
from daemon.adapters.sources.brave import BraveSource
from daemon.adapters.sources.core import CoreSource
from daemon.adapters.sources.crossref import CrossrefSource
from daemon.adapters.sources.defillama import DefiLlamaSource
from daemon.adapters.sources.duckduckgo import DuckDuckGoSource
from daemon.adapters.sources.europepmc import EuropePmcSource
from daemon.adapters.sources.exa import ExaSource
from daemon.adapters.sources.feed import FeedSource
from daemon.adapters.sources.github import GitHubSource
from daemon.adapters.sources.jina import JinaSource
from daemon.adapters.sources.jina_reader import JinaReaderSource
from daemon.adapters.sources.json_api import JsonSource
from daemon.adapters.sources.library import LibrarySource
from daemon.adapters.sources.mcp import McpSource
from daemon.adapters.sources.newsroom import NewsroomSource
from daemon.adapters.sources.openalex import OpenAlexSource
from daemon.adapters.sources.perplexity import PerplexitySource
from daemon.adapters.sources.pubmed import PubMedSource
from daemon.adapters.sources.rate_limiter import Memory, Sleep, SourceStates
from daemon.adapters.sources.registry import Entry, Registry
from daemon.adapters.sources.searxng import SearxngSource
from daemon.adapters.sources.semanticscholar import SemanticScholarSource
from daemon.adapters.sources.serpapi import SerpApiScholarSource
from daemon.adapters.sources.source_parts import Buildable, Parts
from daemon.adapters.sources.tavily import TavilySource
from daemon.adapters.sources.unpaywall import UnpaywallSource
from daemon.adapters.sources.wayback import WaybackSource
from daemon.adapters.sources.wikipedia import WikipediaSource
from daemon.library.library import Library
from daemon.model.errors import SecretError, SourceError
from daemon.ports import Embedder, Extractor, Fetcher, Source

SOURCES: tuple[type[Buildable], ...] = (
    LibrarySource,
    OpenAlexSource,
    SemanticScholarSource,
    CrossrefSource,
    EuropePmcSource,
    PubMedSource,
    ArxivSource,
    CoreSource,
    UnpaywallSource,
    SerpApiScholarSource,
    WikipediaSource,
    GitHubSource,
    BraveSource,
    TavilySource,
    ExaSource,
    PerplexitySource,
    JinaSource,
    JinaReaderSource,
    WaybackSource,
    SearxngSource,
    DuckDuckGoSource,
    NewsroomSource,
    FeedSource,
    DefiLlamaSource,
    JsonSource,
    McpSource,
)
# Returns the counter of a source from its name, entry and keys; None without counting.
Meters = Callable[[str, Entry, Mapping[str, str]], Meter | None]


class KeyLookup(Protocol):
    """Looks keys up by name. Raises SecretError."""

    def get(self, name: str) -> str | None: ...


_ADAPTERS = {source.kind: source for source in SOURCES}


def build_sources(  # noqa: PLR0913  all that a source may need, each by its name
    registry: Registry,
    *,
    fetcher: Fetcher,
    extractor: Extractor,
    secrets: KeyLookup,
    library: Library | None,
    embedder: Embedder | None,
    cache_dir: Path,
    contact: str = "",
    source_states: SourceStates | None = None,
    meters: Meters = lambda _name, _entry, _keys: None,
    sleep: Sleep = asyncio.sleep,
) -> tuple[dict[str, Source], list[tuple[str, str]]]:
    """Build every usable source; return them by name, and `(name, why)` for the others."""
    built: dict[str, Source] = {}
    left_out: list[tuple[str, str]] = []
    states = source_states or Memory()
    for name, entry in registry.items():
        try:
            keys = _keys(entry, secrets)
            meter = meters(name, entry, keys)
            parts = Parts(
                name=name,
                entry=entry,
                fetcher=_counted(fetcher, meter),
                extractor=extractor,
                embedder=embedder,
                library=library,
                cache_dir=cache_dir,
                key=keys.get(entry.api_key, ""),
                keys=keys,
                contact=contact,
                uses=states,
                meter=meter,
                sleep=sleep,
            )
            built[name] = _ADAPTERS[entry.adapter].build(parts)
        except (SourceError, SecretError) as error:
            left_out.append((name, str(error)))
    return built, left_out


def _counted(fetcher: Fetcher, meter: Meter | None) -> Fetcher:
    return fetcher.counted_by(meter) if meter is not None and isinstance(fetcher, Gate) else fetcher


def _keys(entry: Entry, secrets: KeyLookup) -> dict[str, str]:
    """Look up the keys that the entry names; return those that exist.

    Raises SourceError if the source is turned off, SecretError if no key can be read.
    """
    if not entry.enabled:
        raise SourceError("turned off in sources.yaml")
    if entry.opt_in:
        raise SourceError("off until you opt in: set `enabled: true` in sources.yaml")
    try:
        found = {name: secrets.get(name) or "" for name in entry.keys}
    except SecretError:
        if _ADAPTERS[entry.adapter].needs_key:
            raise
        return {}  # without a keyring, a source that can work without a key does
    return {name: key for name, key in found.items() if key}
