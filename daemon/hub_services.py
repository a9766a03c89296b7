"""Build the sources and models that a worker of a hub asks for vaults."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
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
from daemon.config.hub_section import SEAL_KEY
from daemon.gates import gate
from daemon.hub.database import Database
from daemon.hub.night_budget import HubLedger
from daemon.hub.person_keys import PayersKeys
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
def services_of(settings: Settings, config: Path | None, database: Database) -> Iterator[Services]:
    """Build what the settings offer. Raises SettingsError, SourceError."""
    own = open_secrets(settings.secrets.store, sources_path(config).parent)
    keys = WorkerKeys(own, PayersKeys(database, partial(own.get, SEAL_KEY)))
    ledger = HubLedger(database)
    with closing(ChildExtractor()) as extractor, TemporaryDirectory() as cache:
        parts = SourceParts(settings, keys, extractor, Path(cache), ledger)
        yield {
            RESEARCH: _sources(parts, load_registry(sources_path(config))),
            MODELS: {name: _model(settings, name, keys, ledger) for name in settings.hub.models},
        }


@dataclass(frozen=True, slots=True)
class WorkerKeys:
    """The keys that a worker uses: of those for whom it asks, or else its own."""

    own: Secrets
    payers: PayersKeys

    def get(self, name: str) -> str | None:
        """Return a key, or None. Raises SecretError, HubError."""
        return self.payers.get(name) or self.own.get(name)


@dataclass(frozen=True, slots=True)
class SourceParts:
    """What every source is built with."""

    settings: Settings
    keys: WorkerKeys
    extractor: ChildExtractor
    cache: Path
    ledger: HubLedger

    def build(self, name: str, entry: Entry) -> Source | str:
        """Return a source with the keys of who pays now; if it cannot be built, why."""
        built, excluded = build_sources(
            {name: entry},
            fetcher=gate(self.settings, allow_origins=self.settings.network.allow_origins),
            extractor=self.extractor,
            secrets=self.keys,
            library=None,
            embedder=None,
            cache_dir=self.cache,
            contact=self.settings.network.contact,
            meters=partial(_meter, self.ledger),
        )
        return built[name] if name in built else excluded[0][1]


@dataclass(slots=True)
class SourceService:
    """A source: one search at a time, at the source's own pace."""

    parts: SourceParts
    name: str
    entry: Entry
    places: int = 1
    own: Source | str = field(init=False)  # with the keys of the worker; or why there is none

    def __post_init__(self) -> None:
        self.own = self.parts.build(self.name, self.entry)

    @property
    def pause(self) -> timedelta:
        return timedelta(seconds=self.entry.rate.interval)

    def answer(self, question: bytes) -> bytes:
        """Search. Raises FetchError."""
        asked, seconds = json.loads(question), self.entry.timeout_seconds
        search = self._source().search(asked["query"], limit=asked["limit"])
        try:
            found = asyncio.run(asyncio.wait_for(search, seconds))
        except TimeoutError:
            raise FetchError(f"no answer in {seconds:g} s") from None
        if found.status is SourceStatus.UNAVAILABLE:
            raise FetchError(found.why)
        return TypeAdapter(Answer).dump_json(found)

    def _source(self) -> Source:
        has_keys = any(self.parts.keys.payers.get(key) for key in self.entry.keys)
        found = self.parts.build(self.name, self.entry) if has_keys else self.own
        if isinstance(found, str):
            raise FetchError(f"{self.name}: {found}")
        return found


@dataclass(frozen=True, slots=True)
class HostedModel:
    """A model behind the API of OpenAI. `prices` are millionths of a dollar per million tokens."""

    name: str
    url: str
    key: Callable[[], str | None]
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
        key = self.key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        sent = {**body, "model": self.name.partition("/")[2]}
        found = asyncio.run(self.fetcher.post(self.url, body=sent, headers=headers))
        if found.status != _OK:
            self.ledger.settle_tokens(row, 0, 0)  # an error costs nothing
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


def _sources(parts: SourceParts, registry: Registry) -> Mapping[str, Service]:
    names = parts.settings.hub.sources
    if unknown := set(names) - set(registry):
        raise SettingsError(f"hub.sources: there is no source {min(unknown)}")
    found = {name: SourceService(parts, name, registry[name]) for name in names}
    for name, each in found.items():
        can_wait = each.entry.enabled and not each.entry.opt_in and each.entry.keys
        if isinstance(each.own, str) and not can_wait:  # for somebody with a key
            raise SettingsError(f"hub.sources: {name}: {each.own}")
    return found


def _meter(ledger: HubLedger, name: str, entry: Entry, keys: Mapping[str, str]) -> Meter:
    return Meter(ledger, name, price=entry.cost.per_request, caps=entry.caps(name), keys=keys)


def _model(settings: Settings, name: str, keys: WorkerKeys, ledger: HubLedger) -> HostedModel:
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
        key=partial(keys.get, provider),
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
