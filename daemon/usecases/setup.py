"""Set up a vault: scan it, and write its settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import Field

from daemon.app import App
from daemon.composition import open_app
from daemon.config import (
    DEFAULT_MODEL,
    KEYS,
    Settings,
    config_path,
    load_settings,
    value_of,
    vault_names,
)
from daemon.language.detect import listed
from daemon.model.errors import LacunaError, SettingsError
from daemon.model_files import better_model
from daemon.store.reporter import SILENT, Reporter
from daemon.usecases.document import Document
from daemon.usecases.first_scan import FirstScan, first_scan
from daemon.usecases.settings_file import edit_settings, put_vault


class ConfigPlace(Protocol):
    """The part of a place that is known before there is a vault."""

    @property
    def config(self) -> Path | None:
        """The settings file; None is the default."""


@dataclass(frozen=True, slots=True)
class SetupQuestions:
    """What a face can ask before the settings are written.

    `inbox` is one that is already set, or None; `usual_inbox` is the default. `model` is the
    configured embedding model, `better_model` one that supports the notes' languages, or "".
    """

    scan: FirstScan
    inbox: str | None
    usual_inbox: str
    model: str
    better_model: str
    languages: str
    state: Path
    model_place: str | None
    why_no_model: str


class Setup(Document):
    """The vault and its settings file, as they were set up."""

    vault: str = Field(description="Path of the vault.")
    kind: str = Field(description="The vault's adapter.", examples=["obsidian"])
    notes: int = Field(description="Number of notes.")
    config: str = Field(description="Path of the settings file.")
    state: str = Field(description="Path of the state folder.")
    inbox: str = Field(description="Vault-relative folder that findings are written to.")
    templates: tuple[str, ...] = Field(description="Folders of templates, which are excluded.")
    daily_notes: tuple[str, ...] = Field(description="Folders of daily notes.")
    attachments: tuple[str, ...] = Field(description="Folders without notes.")
    model: str | None = Field(description="Where the embedding model was found, or null.")
    languages: dict[str, float] = Field(description="Share of sampled notes in each language.")
    better_model: str = Field(description='A model that supports these languages, or "".')
    name: str = Field(description="The name of the vault in the settings.")
    is_default: bool = Field(exclude=True, description="Commands without --vault use this vault.")
    embedding_model: str = Field(
        description="Name of the embedding model in the settings.", exclude=True
    )
    is_default_model: bool = Field(description="Whether that is the default model.", exclude=True)
    why_no_model: str = Field(description='Why no model was found; "" if one was.', exclude=True)
    languages_listed: str = Field(description="The languages, in words.", exclude=True)


def scan_vault(
    place: ConfigPlace, given: Mapping[str, Any], report: Reporter = SILENT
) -> SetupQuestions:
    """Scan a vault, with settings that the user has given; nothing is written into it.

    Raises SettingsError, VaultError, StoreError.
    """
    before = load_settings(place.config, flags=dict(given), must_exist=False)
    if before.library.folder is not None and not before.library.folder.is_dir():
        raise SettingsError(f"library: there is no folder {before.library.folder}")
    app = open_app(before, config=place.config)
    try:
        with report.step("scan") as progress:
            scan, state = first_scan(app.adapter, progress), app.state
        model_place, why_not = _model(app)
    finally:
        app.close()
    model = _model_called(before)
    return SetupQuestions(
        scan=scan,
        inbox=_set_inbox(before, given["inbox.folder"]),
        usual_inbox=before.inbox.folder,
        model=model,
        better_model=better_model(scan.languages, model),
        languages=listed(scan.languages),
        state=state,
        model_place=model_place,
        why_no_model=why_not,
    )


def set_up(place: ConfigPlace, wanted: Mapping[str, Any], questions: SetupQuestions) -> Setup:
    """Write the settings that were given and chosen. Raises SettingsError, LacunaError."""
    settings = load_settings(place.config, flags=dict(wanted), must_exist=False)
    path = (place.config or config_path()).absolute()
    kept = {
        key: list(value) if isinstance(value, list) else str(value_of(settings, key))
        for key, value in wanted.items()
        if value is not None
    }
    names: list[str | None] = []
    edit_settings(path, lambda document: names.append(put_vault(document, kept, path.parent)))
    name = names[0] or vault_names(place.config)[0]
    return _document(settings, questions, path, name, is_default=names[0] is None)


def _document(
    settings: Settings, questions: SetupQuestions, config: Path, name: str, *, is_default: bool
) -> Setup:
    scan = questions.scan
    return Setup(
        vault=str(settings.vault),
        kind=scan.kind,
        notes=scan.notes,
        config=str(config),
        state=str(questions.state),
        inbox=settings.inbox.folder,
        templates=tuple(settings.notes.templates),
        daily_notes=tuple(settings.notes.daily_notes),
        attachments=scan.attachments,
        model=questions.model_place,
        languages={language: round(share, 3) for language, share in scan.languages.items()},
        better_model=better_model(scan.languages, _model_called(settings)),
        name=name,
        is_default=is_default,
        embedding_model=settings.embedding.model,
        is_default_model=settings.embedding.model == DEFAULT_MODEL,
        why_no_model=questions.why_no_model,
        languages_listed=questions.languages,
    )


def _set_inbox(before: Settings, inbox: str | None) -> str | None:
    """Return the inbox that is already set, in the settings or by use."""
    is_usual = before.inbox.folder == KEYS["inbox.folder"].default
    is_used = before.vault is not None and (before.vault / before.inbox.folder).is_dir()
    return inbox if is_usual and not is_used else before.inbox.folder


def _model(app: App) -> tuple[str | None, str]:
    """Return where the model is, or None; and what is wrong with it, if anything."""
    try:
        return app.model_place(), ""
    except LacunaError as error:
        return None, str(error)


def _model_called(settings: Settings) -> str:
    """Return the name of the configured model: of its folder, if one is set."""
    return (
        settings.embedding.model_path.name
        if settings.embedding.model_path is not None
        else settings.embedding.model
    )
