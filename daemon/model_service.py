"""Build what calls language models: their processes, limits and prices.

Loaded when a role has a model, or the models of a provider are listed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from daemon.adapters.llm.list_prices import list_prices
from daemon.adapters.llm.models import ChildLanguageModel, offered_models
from daemon.adapters.llm.process import ProviderProcess
from daemon.model.clock import now
from daemon.model.errors import LanguageModelError, ModelError
from daemon.model.language_models import (
    THIS_MACHINE,
    Connection,
    OfferedModel,
    RoleState,
    is_local,
)
from daemon.model.spending import MICROS, Cap, Measure, Span, caps_of, of_source
from daemon.models.checks import Scorer
from daemon.models.classifying import Classifying
from daemon.models.limits import Lanes
from daemon.models.planning import Planning
from daemon.models.service import ModelService, RoleModel
from daemon.models.synthesis import Synthesis
from daemon.models.writing import Options, Writing
from daemon.store.model_calls import CallRecord
from daemon.store.run_files import RunDirectories

if TYPE_CHECKING:
    from daemon.config.models_section import ModelSettings
    from daemon.ports import LanguageModel, Reranker
    from daemon.store.ledger import Ledger

KeyOf = Callable[[str], str]
"""Returns the key of a provider, or ""."""

_REMOTE_PARALLEL = 6
_DAYS_KEPT = 30  # on which something was planned, with today


def build(
    on: Sequence[RoleState], settings: ModelSettings, key_of: KeyOf, ledger: Ledger
) -> ModelService:
    """Return what calls the models of these roles."""
    names = dict.fromkeys(each.provider for each in on)
    processes = {name: _process(name, settings, key_of) for name in names}
    roles = {
        each.role: _role_model(
            ChildLanguageModel(each.provider, each.model, processes[each.provider]),
            each,
            settings,
        )
        for each in on
    }
    parallel = dict[str, int]()
    for name in names:
        server = _server(settings, name)
        most = parallel_of(settings, name)
        parallel[server] = min(most, parallel.get(server, most))

    async def close() -> None:
        await asyncio.gather(*(each.close() for each in processes.values()))

    return ModelService(roles, ledger, Lanes(parallel), close)


def planning(service: ModelService, folder: Path) -> Planning:
    """Return what words queries; its prompts are kept by day in `folder`."""
    return Planning(service, partial(_record_of_today, folder))


def classifying(service: ModelService) -> Classifying:
    """Return what chooses how a question is answered."""
    return Classifying(service)


def _record_of_today(folder: Path) -> CallRecord:
    days, today = RunDirectories(folder), now().date().isoformat()
    before = [day for day in days.runs() if day != today]
    for day in before[: 1 - _DAYS_KEPT]:
        days.remove(day)
    return CallRecord(days.files(today))


def _scorer(reranker: Reranker | None) -> Scorer:
    """Return what judges whether texts support a sentence; it returns None without a model."""

    def score(sentence: str, texts: Sequence[str]) -> Sequence[float] | None:
        if reranker is None:
            return None
        try:
            return [float(each) for each in reranker.score(sentence, texts)]
        except ModelError:
            return None

    return score


def writing(service: ModelService, settings: ModelSettings, reranker: Reranker | None) -> Writing:
    """Return what writes texts of findings."""
    options = Options(
        settings.reader_tokens, settings.writer_tokens, settings.call_seconds, settings.run_seconds
    )
    return Writing(service, _scorer(reranker), options)


def synthesis(
    service: ModelService, settings: ModelSettings, reranker: Reranker | None
) -> Synthesis:
    """Return what writes short texts of answers."""
    tokens, seconds = settings.writer_tokens, settings.call_seconds
    return Synthesis(service, _scorer(reranker), tokens=tokens, seconds=seconds)


async def _offered(settings: ModelSettings, key_of: KeyOf, provider: str) -> list[OfferedModel]:
    """Return the models that a provider offers; none if it does not answer."""
    process = _process(provider, settings, key_of)
    try:
        return await offered_models(provider, process)
    except LanguageModelError:
        return []
    finally:
        await process.close()


async def detect(
    settings: ModelSettings, key_of: KeyOf, names: Sequence[str]
) -> dict[str, list[OfferedModel]]:
    """Return the models of those providers on this machine that answer."""
    local = [name for name in names if is_local(settings.provider(name).base_url)]
    found = await asyncio.gather(*(_offered(settings, key_of, name) for name in local))
    return {name: models for name, models in zip(local, found, strict=True) if models}


def _process(name: str, settings: ModelSettings, key_of: KeyOf) -> ProviderProcess:
    provider = settings.provider(name)
    is_open = not is_local(provider.base_url) or name in settings.providers
    key = key_of(name) if is_open else ""
    return ProviderProcess(name, Connection(provider.kind, provider.base_url, key))


def _server(settings: ModelSettings, name: str) -> str:
    """Return what identifies the server of a provider: its calls are limited together."""
    address = urlsplit(settings.provider(name).base_url)
    host = "localhost" if is_local(address.geturl()) else address.hostname or ""
    return f"{host}:{address.port or address.scheme}"


def parallel_of(settings: ModelSettings, name: str) -> int:
    """Return how many calls a provider gets at once."""
    provider = settings.provider(name)
    return provider.parallel or (1 if is_local(provider.base_url) else _REMOTE_PARALLEL)


def _role_model(model: LanguageModel, state: RoleState, settings: ModelSettings) -> RoleModel:
    provider = settings.provider(state.provider)
    one, other = prices_of(state.provider, state.model, settings) or (0.0, 0.0)
    money = of_source(state.provider, caps_of(Span.MONTH, money=provider.usd_per_month))
    return RoleModel(
        model,
        state.provider,
        (round(one * MICROS), round(other * MICROS)),
        provider.context,
        (*token_caps(settings), *money),
        THIS_MACHINE if is_local(state.base_url) else urlsplit(state.base_url).netloc,
        _server(settings, state.provider),
    )


def prices_of(provider: str, model: str, settings: ModelSettings) -> tuple[float, float] | None:
    """Return dollars per million tokens read and written; None if no price is known.

    Your own price comes first, then the provider's list. Models of this machine cost nothing.
    """
    own = settings.prices.get(f"{provider}/{model}")
    address = settings.provider(provider).base_url
    if own is None:
        return (0.0, 0.0) if is_local(address) else list_prices(address, model)
    return own


def token_caps(settings: ModelSettings) -> list[Cap]:
    """Return the caps of tokens of a run, a day and a month."""
    spans = (
        (Span.RUN, settings.tokens_per_run),
        (Span.DAY, settings.tokens_per_day),
        (Span.MONTH, settings.tokens_per_month),
    )
    return [Cap(span, Measure.TOKENS, most) for span, most in spans if most]
