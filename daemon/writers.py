"""Language models as the settings name them: roles, providers, budgets, and what writes by them.

Nothing of it is imported while no role has a model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.model.clock import now
from daemon.model.errors import LanguageModelError, ModelError, SecretError, SettingsError
from daemon.model.language_models import Connection, Role, is_local
from daemon.model.spending import MICROS, Cap, Measure, Span, caps_of, of_source
from daemon.store.run_files import RunDirectories

if TYPE_CHECKING:
    from daemon.adapters.llm.process import ProviderProcess
    from daemon.config.models_section import ModelSettings
    from daemon.model.agenda import Gap
    from daemon.models.service import ModelService, RoleModel
    from daemon.models.writing import Writing
    from daemon.ports import Reranker, Secrets
    from daemon.store.ledger import Ledger
    from daemon.store.model_calls import CallRecord

_REMOTE_PARALLEL = 6
_DAYS_KEPT = 30  # on which something was planned
Plans = Callable[[Sequence["Gap"], Callable[["Gap"], bool], int], list["Gap"]]


@dataclass(frozen=True, slots=True)
class RoleState:
    """What a role uses, and why it is off; `why` is "" when it is on or has no model."""

    role: Role
    provider: str
    model: str
    base_url: str
    is_remote: bool
    why: str


def role_states(settings: ModelSettings, secrets: Secrets) -> list[RoleState]:
    """Return the state of every role, without asking any provider."""
    found = []
    for role in Role:
        provider, model = settings.of(role)
        base_url = settings.provider(provider).base_url if provider else ""
        is_remote = bool(base_url) and not is_local(base_url)
        why = ""
        if provider and not base_url:
            why = f"set models.providers.{provider}.base_url"
        elif is_remote and provider not in settings.remote:
            why = f"{provider} is another machine: allow it with `lacuna models use`"
        elif is_remote and not _key(secrets, provider):
            why = f"it needs a key: `lacuna secrets set {provider}`"
        found.append(RoleState(role, provider, model, base_url, is_remote, why))
    return found


def build_service(settings: ModelSettings, secrets: Secrets, ledger: Ledger) -> ModelService | None:
    """Return what calls the models of all roles that are on; None when there is none."""
    on = [each for each in role_states(settings, secrets) if each.provider and not each.why]
    if not on:
        return None
    from daemon.adapters.llm.models import ChildLanguageModel  # noqa: PLC0415 it says why
    from daemon.models.limits import Lanes  # noqa: PLC0415
    from daemon.models.service import ModelService  # noqa: PLC0415

    names = dict.fromkeys(each.provider for each in on)
    processes = {name: _process(name, settings, secrets) for name in names}
    roles = {
        each.role: _role_model(
            ChildLanguageModel(each.provider, each.model, processes[each.provider]),
            each,
            settings,
        )
        for each in on
    }
    parallel = {
        name: settings.provider(name).parallel or _parallel(settings, name) for name in names
    }

    async def close() -> None:
        await asyncio.gather(*(each.close() for each in processes.values()))

    return ModelService(roles, ledger, Lanes(parallel), close)


def build_planning(service: Callable[[], ModelService | None], folder: Path) -> Plans:
    """Return what words the queries of agendas.

    Its prompts are kept by day in `folder`.
    """

    def planned(gaps: Sequence[Gap], passes: Callable[[Gap], bool], most: int) -> list[Gap]:
        from daemon.models.planning import Planning  # noqa: PLC0415 only with a model

        models = service()
        if models is None:
            return list(gaps)
        return Planning(models, partial(_record_of_today, folder))(gaps, passes, most)

    return planned


def _record_of_today(folder: Path) -> CallRecord:
    from daemon.store.model_calls import CallRecord  # noqa: PLC0415 only with a model

    days = RunDirectories(folder)
    for day in days.runs()[:-_DAYS_KEPT]:
        days.remove(day)
    return CallRecord(days.files(now().date().isoformat()))


def build_writing(
    settings: ModelSettings, models: Callable[[], ModelService | None], reranker: Reranker | None
) -> Writing | None:
    """Return what writes texts of findings; None without a writer."""
    if not settings.writer:
        return None
    service = models()
    if service is None or not service.name(Role.WRITER):
        return None
    from daemon.models.writing import Options, Writing  # noqa: PLC0415

    def score(sentence: str, texts: Sequence[str]) -> Sequence[float] | None:
        if reranker is None:
            return None
        try:
            return [float(each) for each in reranker.score(sentence, texts)]
        except ModelError:
            return None

    options = Options(
        settings.reader_tokens, settings.writer_tokens, settings.call_seconds, settings.run_seconds
    )
    return Writing(service, score, options)


async def names_of(settings: ModelSettings, secrets: Secrets, provider: str) -> list[str]:
    """Return the models that a provider offers. Raises LanguageModelError, SettingsError."""
    from daemon.adapters.llm.models import model_names  # noqa: PLC0415

    if not settings.provider(provider).base_url:
        raise SettingsError(f"no provider is called {provider}")
    process = _process(provider, settings, secrets)
    try:
        return await model_names(provider, process)
    finally:
        await process.close()


async def detect(
    settings: ModelSettings, secrets: Secrets, names: Sequence[str]
) -> dict[str, list[str]]:
    """Return the models of those providers on this machine that answer."""

    async def one(name: str) -> list[str]:
        try:
            return await names_of(settings, secrets, name)
        except LanguageModelError:
            return []

    local = [name for name in names if is_local(settings.provider(name).base_url)]
    found = await asyncio.gather(*map(one, local))
    return {name: models for name, models in zip(local, found, strict=True) if models}


def _process(name: str, settings: ModelSettings, secrets: Secrets) -> ProviderProcess:
    from daemon.adapters.llm.process import ProviderProcess  # noqa: PLC0415

    provider = settings.provider(name)
    is_open = not is_local(provider.base_url) or name in settings.providers
    key = _key(secrets, name) if is_open else ""
    return ProviderProcess(name, Connection(provider.kind, provider.base_url, key))


def _key(secrets: Secrets, name: str) -> str:
    """Return the key of a provider, "" when there is none, or nowhere to keep one."""
    try:
        return secrets.get(name) or ""
    except SecretError:
        return ""


def _parallel(settings: ModelSettings, name: str) -> int:
    return 1 if is_local(settings.provider(name).base_url) else _REMOTE_PARALLEL


def _role_model(model: object, state: RoleState, settings: ModelSettings) -> RoleModel:
    from daemon.models.service import RoleModel  # noqa: PLC0415

    one, other = settings.prices.get(f"{state.provider}/{state.model}", (0.0, 0.0))
    provider = settings.provider(state.provider)
    money = of_source(state.provider, caps_of(Span.MONTH, money=provider.usd_per_month))
    return RoleModel(
        model,  # type: ignore[arg-type]
        state.provider,
        (round(one * MICROS), round(other * MICROS)),
        provider.context,
        (*token_caps(settings), *money),
    )


def token_caps(settings: ModelSettings) -> list[Cap]:
    """Return the caps of tokens of a run, a day and a month."""
    spans = (
        (Span.RUN, settings.tokens_per_run),
        (Span.DAY, settings.tokens_per_day),
        (Span.MONTH, settings.tokens_per_month),
    )
    return [Cap(span, Measure.TOKENS, most) for span, most in spans if most]
