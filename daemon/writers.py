"""Language models as the settings name them: roles, providers, budgets, and what writes by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.model.errors import SecretError
from daemon.model.language_models import Role, RoleState, is_local
from daemon.model.late import LateModule

if TYPE_CHECKING:
    from daemon import model_service
    from daemon.config.models_section import ModelSettings
    from daemon.model.agenda import Gap
    from daemon.models.service import ModelService
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
    """Return what writes texts of findings; None without a writer."""
    service = models() if settings.writer else None
    if service is None or not service.name(Role.WRITER):
        return None
    return model_service.writing(service, settings, reranker)


async def detect(
    settings: ModelSettings, secrets: Secrets, names: Sequence[str]
) -> dict[str, list[str]]:
    """Return the models of those providers on this machine that answer."""
    return await model_service.detect(settings, partial(_key, secrets), names)


def _key(secrets: Secrets, name: str) -> str:
    """Return the key of a provider, "" when there is none, or nowhere to keep one."""
    try:
        return secrets.get(name) or ""
    except SecretError:
        return ""
