"""Language models as the settings name them: roles, providers, budgets, and what writes by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.model.errors import SecretError
from daemon.model.language_models import (
    KNOWN_PROVIDERS,
    OLLAMA_CLOUD,
    Role,
    RoleState,
    is_hosted,
    is_local,
)
from daemon.model.late import LateModule

if TYPE_CHECKING:
    from daemon import model_service
    from daemon.config.models_section import ModelSettings
    from daemon.model.agenda import Gap
    from daemon.model.language_models import OfferedModel
    from daemon.models.classifying import Classifying
    from daemon.models.service import ModelService
    from daemon.models.synthesis import Synthesis
    from daemon.models.writing import Writing
    from daemon.ports import Reranker, Secrets, Stop
    from daemon.store.ledger import Ledger
else:  # not loaded while no role has a model
    model_service = LateModule("daemon.model_service")

Plans = Callable[[Sequence["Gap"], Callable[["Gap"], bool], int, "Stop"], list["Gap"]]


def role_states(settings: ModelSettings, secrets: Secrets) -> list[RoleState]:
    """Return the state of every role, without asking any provider."""
    found = []
    for role in Role:
        provider, model = settings.of(role)
        address = address_of(settings, provider, model) if provider else ""
        is_remote, why = bool(address) and not is_local(address), ""
        if provider and not address:
            why = f"set models.providers.{provider}.base_url"
        elif is_remote and provider not in settings.remote:
            why = f"it is on another machine, {address}: allow it with `lacuna models use`"
        elif _needs_key(settings, provider) and not _key(secrets, provider):
            why = f"it needs a key: `lacuna secrets set {provider}`"
        elif is_remote and _has_no_price(settings, provider, model):
            why = (
                f"its price is not known, and {provider} has a budget in money: set"
                f' models.prices."{provider}/{model}"'
            )
        found.append(RoleState(role, provider, model, address, is_remote, why))
    return found


def address_of(settings: ModelSettings, provider: str, model: str) -> str:
    """Return where the text for a model goes, "" when the provider has no address.

    An Ollama on this machine passes calls of some models on.
    """
    place = settings.provider(provider)
    return OLLAMA_CLOUD if is_hosted(place.kind, model) else place.base_url


def _needs_key(settings: ModelSettings, provider: str) -> bool:
    """Whether nothing works without a key: a provider of the user's own may need none."""
    is_known = provider in KNOWN_PROVIDERS and provider not in settings.providers
    return is_known and not is_local(KNOWN_PROVIDERS[provider][1])


def _has_no_price(settings: ModelSettings, provider: str, model: str) -> bool:
    """Whether a budget in money could not be kept."""
    has_budget = settings.provider(provider).usd_per_month > 0
    return has_budget and model_service.prices_of(provider, model, settings) is None


def build_service(settings: ModelSettings, secrets: Secrets, ledger: Ledger) -> ModelService | None:
    """Return what calls the models of all roles that are on; None when there is none."""
    on = [each for each in role_states(settings, secrets) if each.provider and not each.why]
    return model_service.build(on, settings, partial(_key, secrets), ledger) if on else None


def build_planning(service: Callable[[], ModelService | None], folder: Path) -> Plans:
    """Return what words the queries of agendas.

    Its prompts are kept by day in `folder`.
    """

    def planned(
        gaps: Sequence[Gap], passes: Callable[[Gap], bool], most: int, stop: Stop
    ) -> list[Gap]:
        models = service()
        if models is None:
            return list(gaps)
        return model_service.planning(models, folder)(gaps, passes, most, stop)

    return planned


def build_writing(
    settings: ModelSettings, models: Callable[[], ModelService | None], reranker: Reranker | None
) -> Writing | None:
    """Return the writer of findings' texts; None if no model has this role."""
    service = models() if settings.writer else None
    if service is None or not service.name(Role.WRITER):
        return None
    return model_service.writing(service, settings, reranker)


def build_synthesis(
    settings: ModelSettings, models: Callable[[], ModelService | None], reranker: Reranker | None
) -> Synthesis | None:
    """Return what writes short texts of answers; None without a writer."""
    service = models() if settings.writer else None
    return None if service is None else model_service.synthesis(service, settings, reranker)


def build_classifying(
    settings: ModelSettings, models: Callable[[], ModelService | None]
) -> Classifying | None:
    """Return what chooses how a question is answered; None without a classifier that is on."""
    service = models() if settings.classifier else None
    if service is None or not service.name(Role.CLASSIFIER):
        return None
    return model_service.classifying(service)


async def detect(
    settings: ModelSettings, secrets: Secrets, names: Sequence[str]
) -> dict[str, list[OfferedModel]]:
    """Return the models of those providers on this machine that answer."""
    return await model_service.detect(settings, partial(_key, secrets), names)


def _key(secrets: Secrets, name: str) -> str:
    """Return the key of a provider, "" when there is none, or nowhere to keep one."""
    try:
        return secrets.get(name) or ""
    except SecretError:
        return ""
