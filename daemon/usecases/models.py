"""Language models: what each role uses, what runs on this machine, and whether it answers."""

import asyncio
import re
import time
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from daemon.app import App
from daemon.model.errors import LanguageModelError, SettingsError, SpentError
from daemon.model.language_models import KNOWN_PROVIDERS, ModelCall, Role, is_local
from daemon.store.model_calls import NoRecord
from daemon.usecases.document import Document, ListDocument, Number, Request
from daemon.usecases.place import Place
from daemon.usecases.settings import SetRequest, change
from daemon.writers import build_service, detect, role_states

if TYPE_CHECKING:
    from daemon.models.service import ModelService

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([bm])\b", re.IGNORECASE)
_READS_WELL = 3.0  # billions of parameters from which a model is proposed as a reader
_TEXTS = {
    Role.CLASSIFIER: "topics that your notes lack, and why, with titles of notes",
    Role.READER: "questions, and sentences of fetched documents",
    Role.WRITER: "questions, sentences of fetched documents, and names of related notes",
    Role.CHECKER: "written sentences, and the sentences that they cite",
}


class Ready(BaseModel):
    """What a model answers to a test."""

    ready: bool = Field(description="Whether the model is ready: always true.")


class UseModelRequest(Request):
    """Which model to use for which role."""

    role: Role = Field(description="The role.")
    model: str = Field(
        description='As `provider/model`; "" for none.', examples=["ollama/qwen3:4b"]
    )
    allow_remote: bool = Field(
        default=False, description="Whether text may be sent to another machine."
    )


class ModelRole(Document):
    """A role, and the model that it uses."""

    role: Role = Field(description="The role.")
    model: str = Field(description='As `provider/model`; "" for none.')
    address: str = Field(description='Address of the provider; "" for none.')
    on: bool = Field(description="Whether the role is on.")
    remote: bool = Field(description="Whether it is on another machine.")
    why: str = Field(description='Why it is off; "" when it is on or has no model.')
    receives: str = Field(description="Which text it is sent.")


class ModelRoles(ListDocument[ModelRole]):
    """Every role."""


class LocalModels(Document):
    """A provider on this machine that answered."""

    provider: str = Field(description="Name of the provider.", examples=["ollama"])
    models: tuple[str, ...] = Field(description="Names of its models.", examples=[("qwen3:4b",)])


class DetectedModels(Document):
    """What runs on this machine, and which roles it could have."""

    found: tuple[LocalModels, ...] = Field(description="The providers that answered; empty: none.")
    proposed: dict[Role, str] = Field(description="Model by role, as `provider/model`.")


class ModelAnswer(Document):
    """How the model of a role answered a test."""

    role: Role = Field(description="The role.")
    model: str = Field(description="As `provider/model`.")
    ok: bool = Field(description="Whether it answered as it should.")
    why: str = Field(description='What went wrong; "" when nothing did.')
    tokens: int = Field(description="Tokens sent and received.")
    seconds: Number = Field(description="Duration, in seconds.")


class ModelAnswers(ListDocument[ModelAnswer]):
    """How models answered a test."""


def roles(app: App) -> ModelRoles:
    """List every role with its model."""
    return ModelRoles(
        tuple(
            ModelRole(
                role=each.role,
                model=f"{each.provider}/{each.model}" if each.provider else "",
                address=each.base_url,
                on=bool(each.provider) and not each.why,
                remote=each.is_remote,
                why=each.why,
                receives=_TEXTS[each.role] if each.provider else "",
            )
            for each in role_states(app.settings.models, app.secrets)
        )
    )


def detected(app: App) -> DetectedModels:
    """Look for Ollama, LM Studio and llama.cpp on this machine."""
    settings = app.settings.models
    names = [*dict.fromkeys([*KNOWN_PROVIDERS, *settings.providers])]
    found = asyncio.run(detect(settings, app.secrets, names))
    every = [f"{name}/{model}" for name, models in found.items() for model in models]
    return DetectedModels(
        found=tuple(LocalModels(provider=name, models=tuple(m)) for name, m in found.items()),
        proposed=proposed_roles(every),
    )


def proposed_roles(models: list[str]) -> dict[Role, str]:
    """Propose the largest model as the writer, and the smallest that reads well as the reader."""
    sized = sorted((size, name) for name in models if (size := parameters(name)) > 0)
    if not sized:
        return dict.fromkeys((Role.WRITER, Role.READER), models[0]) if models else {}
    small = next((name for size, name in sized if size >= _READS_WELL), sized[-1][1])
    return {Role.WRITER: sized[-1][1], Role.READER: small}


def parameters(name: str) -> float:
    """Return billions of parameters as a model's name says them, 0 when it does not."""
    found = _SIZE.search(name)
    if found is None:
        return 0.0
    return float(found[1]) / (1000 if found[2].lower() == "m" else 1)


def test(app: App) -> ModelAnswers:
    """Send one short call to the model of each role that is on."""
    return ModelAnswers(asyncio.run(_test(app)))


async def _test(app: App) -> tuple[ModelAnswer, ...]:
    service = build_service(app.settings.models, app.secrets, app.spending.ledger)
    if service is None:
        return ()
    try:
        on = [role for role in Role if service.name(role)]
        return tuple([await _answer(service, role) for role in on])
    finally:
        await service.close()


async def _answer(service: "ModelService", role: Role) -> ModelAnswer:
    call = ModelCall('Answer with {"ready": true}.', "Are you ready?", Ready, max_tokens=50)
    began, why, tokens = time.monotonic(), "", 0
    try:
        reply = await service.ask(role, call, NoRecord())
        tokens = reply.usage.total
    except (LanguageModelError, SpentError) as error:
        why = str(error)
    return ModelAnswer(
        role=role,
        model=service.name(role),
        ok=not why,
        why=why,
        tokens=tokens,
        seconds=round(time.monotonic() - began, 2),
    )


def is_remote(app: App, model: str) -> bool:
    """Return whether a model, as `provider/model`, is on another machine."""
    base_url = app.settings.models.provider(model.partition("/")[0]).base_url
    return bool(base_url) and not is_local(base_url)


def use(app: App, request: UseModelRequest, place: Place) -> ModelRole:
    """Write the model of a role into the settings file. Raises SettingsError."""
    provider, _, model = request.model.partition("/")
    settings, receives = app.settings.models, _TEXTS[request.role]
    base_url = settings.provider(provider).base_url if model else ""
    if request.model and not base_url:
        known = ", ".join(dict.fromkeys([*KNOWN_PROVIDERS, *settings.providers]))
        raise SettingsError(f"“{request.model}” must be provider/model, with one of {known}")
    remote = bool(base_url) and not is_local(base_url)
    if remote and not request.allow_remote:
        raise SettingsError(
            f"{provider} is on another machine, and would be sent {receives}: allow it with"
            " --remote"
        )
    change(place, SetRequest(key=f"models.{request.role}", value=request.model or None))
    if remote:
        allowed = ", ".join(dict.fromkeys([*settings.remote, provider]))
        change(place, SetRequest(key="models.remote", value=allowed))
    return ModelRole(
        role=request.role,
        model=request.model,
        address=base_url,
        on=bool(request.model),
        remote=remote,
        why="",
        receives=receives if request.model else "",
    )
