"""Language models: what each role uses, what runs on this machine, and whether it answers."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from daemon.app import App
from daemon.config import Settings
from daemon.model.errors import LanguageModelError, SettingsError, SpentError
from daemon.model.language_models import (
    KNOWN_PROVIDERS,
    ModelCall,
    OfferedModel,
    Role,
    billions_in,
    is_local,
)
from daemon.model.progress import Progress
from daemon.store.model_calls import NoRecord
from daemon.store.reporter import Reporter
from daemon.usecases.command import Command
from daemon.usecases.document import Document, ListDocument, NoRequest, Number, Request
from daemon.usecases.place import Place
from daemon.usecases.query import of_all
from daemon.usecases.settings import SetRequest, change
from daemon.writers import address_of, build_service, detect, role_states

if TYPE_CHECKING:
    from daemon.config.models_section import ModelSettings
    from daemon.models.service import ModelService

_READS_WELL = 3.0  # billions of parameters from which a model is proposed as a reader
_NO_LIBRARY = (
    "LM Studio and llama.cpp were not asked: run `pip install 'lacuna-daemon[models]'` first"
)
_TEXTS = {
    Role.CLASSIFIER: "your questions; topics that your notes lack, and why, with titles of notes",
    Role.READER: "questions, and sentences of fetched documents",
    Role.WRITER: "questions, sentences of fetched documents, and names of related notes",
    Role.CHECKER: "written sentences, and the sentences that they cite",
}


def texts_of(role: str) -> str:
    """Return what a role is sent, in words."""
    return _TEXTS[Role(role)]


_OF_NOTES = "for `lacuna ask`, passages of notes"


class Ready(BaseModel):
    """What a model answers to a test."""

    ready: bool = Field(description="Whether the model is ready.")


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
    why: str = Field(description='Why some servers could not be asked; "" if all were.')


class ModelAnswer(Document):
    """How the model of a role answered a test."""

    role: Role = Field(description="The role.")
    model: str = Field(description="As `provider/model`.")
    ok: bool = Field(description="Whether its answer is valid.")
    why: str = Field(description='What went wrong; "" when nothing did.')
    tokens: int = Field(description="Tokens sent and received.")
    seconds: Number = Field(description="Duration, in seconds.")


class ModelAnswers(ListDocument[ModelAnswer]):
    """How models answered a test."""


class ModelTest(Document):
    """How the model of each role that is on answered a test."""

    answers: ModelAnswers = Field(description="The answers; empty: no role has a model.")


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
                receives=_received(app.settings, each.role, is_remote=each.is_remote)
                if each.provider
                else "",
            )
            for each in role_states(app.settings.models, app.secrets)
        )
    )


def _received(settings: Settings, role: Role, *, is_remote: bool) -> str:
    """Return which text a role is sent; of notes only what may leave this machine, if it does."""
    reads_notes = not is_remote or settings.asking.remote_writer
    return f"{_TEXTS[role]}; {_OF_NOTES}" if reads_notes else _TEXTS[role]


def detected(app: App) -> DetectedModels:
    """Look for Ollama, LM Studio and llama.cpp on this machine."""
    settings = app.settings.models
    names = [*dict.fromkeys([*KNOWN_PROVIDERS, *settings.providers])]
    found = asyncio.run(detect(settings, app.secrets, names))
    return DetectedModels(
        found=tuple(
            LocalModels(provider=provider, models=tuple(each.name for each in models))
            for provider, models in found.items()
        ),
        proposed=proposed_roles(found),
        why="" if find_spec("pydantic_ai") else _NO_LIBRARY,
    )


def proposed_roles(found: Mapping[str, Sequence[OfferedModel]]) -> dict[Role, str]:
    """Propose the largest model as the writer, and the smallest that reads well as the reader.

    None of another machine is proposed.
    """
    here = [
        (each.billions or billions_in(each.name), f"{provider}/{each.name}")
        for provider, models in found.items()
        for each in models
        if not each.hosted
    ]
    if not here:
        return {}
    sized = sorted(each for each in here if each[0] > 0) or here[:1]
    small = next((name for size, name in sized if size >= _READS_WELL), sized[-1][1])
    return {Role.WRITER: sized[-1][1], Role.READER: small}


def test(app: App, report: Reporter) -> ModelAnswers:
    """Send one short call to the model of each role that is on."""
    with report.step("models") as progress:
        return ModelAnswers(asyncio.run(_test(app, progress)))


async def _test(app: App, progress: Progress) -> tuple[ModelAnswer, ...]:
    service = build_service(app.settings.models, app.secrets, app.scheduling.spending.ledger)
    if service is None:
        return ()
    try:
        on = [role for role in Role if service.name(role)]
        answers = []
        for done, role in enumerate(on):
            progress(done, len(on), f"waiting for {service.name(role)}")
            answers.append(await _answer(service, role))
        return tuple(answers)
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
    provider, _, name = model.partition("/")
    address = address_of(app.settings.models, provider, name)
    return bool(address) and not is_local(address)


def _unknown_provider(model: str, settings: "ModelSettings") -> str:
    known = list(dict.fromkeys([*KNOWN_PROVIDERS, *settings.providers]))
    provider, _, name = model.partition("/")
    close = get_close_matches(provider, known, n=1)
    if close and name:
        return f"there is no provider “{provider}”: did you mean “{close[0]}/{name}”?"
    return f"“{model}” must be provider/model, with one of {', '.join(known)}"


def use(app: App, request: UseModelRequest, place: Place) -> ModelRole:
    """Write the model of a role into the settings file. Raises SettingsError."""
    provider, _, model = request.model.partition("/")
    settings = app.settings.models
    address = address_of(settings, provider, model) if model else ""
    if request.model and not address:
        raise SettingsError(_unknown_provider(request.model, settings))
    remote = bool(address) and not is_local(address)
    receives = _received(app.settings, request.role, is_remote=remote)
    if remote and not request.allow_remote:
        raise SettingsError(
            f"{request.model} is on another machine, {address}, and would be sent {receives}: allow"
            " it with --remote"
        )
    change(place, SetRequest(key=f"models.{request.role}", value=request.model or None))
    if remote:
        allowed = ", ".join(dict.fromkeys([*settings.remote, provider]))
        change(place, SetRequest(key="models.remote", value=allowed))
    return ModelRole(
        role=request.role,
        model=request.model,
        address=address,
        on=bool(request.model),
        remote=remote,
        why="",
        receives=receives if request.model else "",
    )


MODELS = of_all("models", ModelRoles, roles)
TEST = Command(
    name="models-test",
    request=NoRequest,
    document=ModelTest,
    carry_out=lambda work, _request: ModelTest(answers=test(work.app, work.report)),
    needs_sync=False,
)
