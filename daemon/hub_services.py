"""Build the sources and models that a worker of a hub asks for vaults."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter

from daemon.adapters.extract import ChildExtractor
from daemon.adapters.meter import Meter
from daemon.adapters.secrets import open_secrets
from daemon.adapters.sources import Entry, Registry, load_registry
from daemon.adapters.sources.build import build_sources
from daemon.config import Settings, origin_text, sources_path
from daemon.gates import gate
from daemon.hub.night_budget import HubLedger
from daemon.hub.service_requests import Service, Services
from daemon.model.errors import FetchError, SettingsError
from daemon.model.evidence import Answer, SourceStatus
from daemon.model.language_models import ProviderKind
from daemon.model.shared_requests import MODELS, RESEARCH
from daemon.model.spending import MICROS, Amounts, Cap, Sending, Span, caps_of, of_source
from daemon.model_service import parallel_of, prices_of, token_caps
from daemon.models.prompt_tokens import tokens_in
from daemon.ports import Fetcher, Secrets, Source

_OK = 200
_MOST = 4_000  # tokens that an answer may have if the call does not limit it


@contextmanager
def services_of(settings: Settings, config: Path | None, ledger: HubLedger) -> Iterator[Services]:
    """Build what the settings offer. Raises SettingsError, SourceError."""
    secrets = open_secrets(settings.secrets.store, sources_path(config).parent)
    with closing(ChildExtractor()) as extractor, TemporaryDirectory() as cache:
        registry = load_registry(sources_path(config))
        yield {
            RESEARCH: _sources(settings, registry, secrets, extractor, Path(cache), ledger),
            MODELS: {name: _model(settings, name, secrets, ledger) for name in settings.hub.models},
        }


@dataclass(frozen=True, slots=True)
class SourceService:
    """A source: one search at a time, at the source's own pace."""

    source: Source
    entry: Entry
    places: int = 1

    @property
    def pause(self) -> timedelta:
        return timedelta(seconds=self.entry.rate.interval)

    def answer(self, question: bytes) -> bytes:
        """Search. Raises FetchError."""
        asked, seconds = json.loads(question), self.entry.timeout_seconds
        search = self.source.search(asked["query"], limit=asked["limit"])
        try:
            found = asyncio.run(asyncio.wait_for(search, seconds))
        except TimeoutError:
            raise FetchError(f"no answer in {seconds:g} s") from None
        if found.status is SourceStatus.UNAVAILABLE:
            raise FetchError(found.why)
        return TypeAdapter(Answer).dump_json(found)


@dataclass(frozen=True, slots=True)
class HostedModel:
    """A model behind the API of OpenAI. `prices` are millionths of a dollar per million tokens."""

    name: str
    url: str
    key: str
    fetcher: Fetcher
    ledger: HubLedger
    caps: tuple[Cap, ...]
    prices: tuple[int, int]
    places: int
    pause: timedelta = timedelta()

    def answer(self, question: bytes) -> bytes:
        """Send a call. Raises FetchError."""
        body = json.loads(question)
        most = body.get("max_tokens") or body.get("max_completion_tokens") or _MOST
        row = self._reserve(tokens_in(question.decode("utf-8", "replace")) + 1, int(most))
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        sent = {**body, "model": self.name.partition("/")[2]}
        found = asyncio.run(self.fetcher.post(self.url, body=sent, headers=headers))
        if found.status != _OK:
            raise FetchError(f"{self.name}: HTTP {found.status}")
        try:
            answer = json.loads(found.body)
            usage = answer["usage"]
            read, written = int(usage["prompt_tokens"]), int(usage["completion_tokens"])
        except (ValueError, KeyError, TypeError):
            raise FetchError(f"{self.name}: the answer is not understood") from None
        self.ledger.settle_tokens(row, read + written, self._cost(read, written))
        return found.body

    def _reserve(self, read: int, written: int) -> int:
        amounts = Amounts(1, 0, self._cost(read, written), 0, read + written)
        sending = Sending(self.name, "model", amounts=amounts)
        return self.ledger.reserve(sending, self.caps)[0]

    def _cost(self, read: int, written: int) -> int:
        one, other = self.prices
        return -(-(read * one + written * other) // MICROS)


def _sources(
    settings: Settings,
    registry: Registry,
    secrets: Secrets,
    extractor: ChildExtractor,
    cache: Path,
    ledger: HubLedger,
) -> Mapping[str, Service]:
    names = settings.hub.sources
    if unknown := set(names) - set(registry):
        raise SettingsError(f"hub.sources: there is no source {min(unknown)}")
    built, excluded = build_sources(
        {name: registry[name] for name in names},
        fetcher=gate(settings, allow_origins=settings.network.allow_origins),
        extractor=extractor,
        secrets=secrets,
        library=None,
        embedder=None,
        cache_dir=cache,
        contact=settings.network.contact,
        meters=partial(_meter, ledger),
    )
    for name, why in excluded:
        raise SettingsError(f"hub.sources: {name}: {why}")
    return {name: SourceService(source, registry[name]) for name, source in built.items()}


def _meter(ledger: HubLedger, name: str, entry: Entry, keys: Mapping[str, str]) -> Meter:
    return Meter(ledger, name, price=entry.cost.per_request, caps=entry.caps(name), keys=keys)


def _model(settings: Settings, name: str, secrets: Secrets, ledger: HubLedger) -> HostedModel:
    models, (provider, _, model) = settings.models, name.partition("/")
    found = models.provider(provider)
    if not (model and found.base_url and found.kind is ProviderKind.OPENAI):
        raise SettingsError(
            f"hub.models: {name} must be provider/model, of a provider with the API of OpenAI"
        )
    one, other = prices_of(provider, model, models) or (0.0, 0.0)
    money = of_source(name, caps_of(Span.MONTH, money=found.usd_per_month))
    return HostedModel(
        name=name,
        url=f"{found.base_url}/chat/completions",
        key=secrets.get(provider) or "",
        fetcher=gate(
            settings,
            allow_origins=(origin_text(found.base_url),),
            share=models.call_seconds / settings.network.timeout_seconds,
        ),
        ledger=ledger,
        caps=tuple(cap for cap in (*token_caps(models), *money) if cap.span is not Span.RUN),
        prices=(round(one * MICROS), round(other * MICROS)),
        places=parallel_of(models, provider),
    )
