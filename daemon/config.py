"""The one table of settings: file, environment and flags, read into one typed object."""

import logging
import os
import re
import tomllib
from collections.abc import Mapping
from datetime import time
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from platformdirs import user_config_path, user_state_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from daemon.model.agenda import Approval, Depth
from daemon.model.errors import SettingsError

_log = logging.getLogger(__name__)

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
ENVIRONMENT_PREFIX = "LACUNA_"
# Characters that end a wikilink, or part it.
_UNLINKABLE = frozenset("[]#^|\0\n\r\t")
_NO_SETTINGS = {"LACUNA_CONFIG"}  # what the option of the same name stands for
_PATHS = {"vault", "state", "library", "model_path", "retraction_watch"}
_KINDS = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a number",
    "string_type": "text in quotes",
    "path_type": "a path in quotes",
    "tuple_type": 'a list, such as ["Templates"]',
}
_BOUNDS = {
    "greater_than": "more than",
    "greater_than_equal": "at least",
    "less_than": "less than",
    "less_than_equal": "at most",
}
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


class Settings(BaseModel):
    """Every setting, its type, its default and its meaning in one line."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    vault: Path | None = Field(default=None, description="The folder of notes to look after.")
    inbox: str = Field(
        default="Inbox/Research",
        description="The folder in the vault that everything is written to.",
    )
    state: Path | None = Field(
        default=None,
        description="The folder to keep the index and all runs in, instead of the usual.",
    )
    library: Path | None = Field(
        default=None,
        description="A folder of your own unread documents (md, html, txt, pdf) to research.",
    )
    retraction_watch: Path | None = Field(
        default=None,
        description="A copy of Retraction Watch's retraction_watch.csv: papers in it are worth"
        " nothing.",
    )
    model: str = Field(
        default=DEFAULT_MODEL, description="The sentence-transformers model to embed with."
    )
    model_path: Path | None = Field(
        default=None, description="A folder that holds the model's files."
    )
    embed_idle_seconds: float = Field(
        default=120.0,
        ge=0,
        le=86_400,
        description="Seconds of idleness after which the embedding process ends.",
    )
    embed_threads: int = Field(
        default=0, ge=0, le=1024, description="Threads to embed with; 0 leaves one core free."
    )
    settle_seconds: float = Field(
        default=2.0,
        ge=0.05,
        le=3600,
        description="Seconds without a change before a changed note is read.",
    )
    reconcile_minutes: float = Field(
        default=30.0,
        ge=0.01,
        le=10_080,
        description="Minutes between looks at the whole vault for missed changes.",
    )
    approval: Approval = Field(
        default=Approval.VETO, description="What an agenda waits for: veto, required or none."
    )
    veto_hours: float = Field(
        default=12.0, ge=0, le=8760, description="Hours a scheduled agenda waits for your veto."
    )
    veto_seconds: float = Field(
        default=60.0,
        ge=0,
        le=604_800,
        description="Seconds the agenda of a tagged note waits for your veto.",
    )
    weekly: bool = Field(
        default=True, description="Whether to research the whole vault once a week."
    )
    weekly_day: Day = Field(default="sun", description="The day of the weekly run.")
    weekly_time: str = Field(
        default="09:00", description="The local time of the weekly run, HH:MM."
    )
    depth: Depth = Field(
        default=Depth.STANDARD, description="How far a run goes: quick, standard, deep."
    )
    max_findings: int = Field(
        default=5, ge=1, le=50, description="Findings written per run at most."
    )
    covered_similarity: float = Field(
        default=0.85,
        gt=0,
        le=1,
        description="Cosine above which the vault already covers a passage.",
    )
    meaning_similarity: float = Field(
        default=0.80,
        gt=0,
        le=1,
        description="Cosine from which two notes count as near in meaning.",
    )
    stale_days: int = Field(
        default=365,
        ge=1,
        le=36_500,
        description="Days without an edit after which a note is stale.",
    )
    delete_grace_hours: float = Field(
        default=24.0,
        ge=0,
        le=8760,
        description="Hours until a deleted finding counts as dismissed.",
    )
    templates: tuple[str, ...] = Field(
        default=(),
        description="Template folders, besides those that the vault's own settings name.",
    )
    daily_notes: tuple[str, ...] = Field(
        default=(),
        description="Daily-note folders, besides those that the vault's own settings name.",
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="Folders that take no part in analysis."
    )
    fetch_timeout: float = Field(
        default=20.0, gt=0, le=600, description="Seconds one fetch may take."
    )
    fetch_max_mb: float = Field(
        default=20.0, gt=0, le=1000, description="Megabytes one fetch may bring."
    )
    allow_origins: tuple[str, ...] = Field(
        default=(),
        description="Exact origins on private addresses, such as http://127.0.0.1:8080, that a"
        " source of yours may be asked at; no document is fetched from there.",
    )
    contact: str = Field(
        default="",
        description="Your e-mail address, sent to sources in the user agent, if you want.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="How much is logged."
    )

    @field_validator("inbox")
    @classmethod
    def _inbox_is_inside(cls, value: str) -> str:
        parts = value.replace("\\", "/").strip("/").split("/")
        if value.startswith(("/", "~")) or any(part in ("", "..") for part in parts):
            raise ValueError("must be a folder inside the vault, such as Inbox/Research")
        if any(part.startswith(".") for part in parts):
            raise ValueError("must not be hidden: note-taking tools do not show such folders")
        if odd := _UNLINKABLE.intersection(value):
            raise ValueError(f"must not hold {min(odd)!r}, which no link can name")
        return "/".join(parts)

    @field_validator("weekly_time")
    @classmethod
    def _is_a_time(cls, value: str) -> str:
        wrong = ValueError("must be a time of day such as 09:00")
        if not re.fullmatch(r"\d{2}:\d{2}", value, re.ASCII):
            raise wrong
        try:
            time.fromisoformat(value)
        except ValueError:
            raise wrong from None
        return value

    @field_validator("allow_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not _is_origin(origin):
                raise ValueError(f"{origin!r} is not an exact origin such as http://127.0.0.1:8080")
        return value

    @field_validator(*_PATHS, mode="before")
    @classmethod
    def _is_a_path(cls, value: object) -> object:
        if isinstance(value, str) and (not value.strip() or "\0" in value):
            raise ValueError("must be the path of a folder")
        return value

    @field_validator(*_PATHS)
    @classmethod
    def _is_absolute(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        path = _at_home(value).absolute()
        return path.resolve() if ".." in path.parts else path


def config_path() -> Path:
    """Where the settings file is when no flag says otherwise."""
    return user_config_path("lacuna") / "config.toml"


def state_root() -> Path:
    """The folder that holds one state folder per vault."""
    return user_state_path("lacuna")


def load_settings(
    path: Path | None,
    *,
    environ: Mapping[str, str] = os.environ,
    flags: Mapping[str, Any] | None = None,
    must_exist: bool = True,
) -> Settings:
    """Read settings from `path` (or the usual place), the environment and flags; later wins.

    A file that was named but is not there is an error unless `must_exist` is false; the usual one
    may be missing. Raises SettingsError with the key and the place it stands in. A `state` in the
    file is that of the file's vault: it does not count when another vault is named.
    """
    for variable in odd_variables(environ):
        _log.warning("no setting is called %s", variable)
    source = path or config_path()
    if path is not None and must_exist and not path.is_file():
        raise SettingsError(f"{path}: no such settings file")
    values, origin = _gathered(source, environ, flags or {})
    return _validated(values, origin, str(source))


def explain_settings(
    path: Path | None, *, environ: Mapping[str, str] = os.environ
) -> dict[str, tuple[Any, str]]:
    """Return every setting's value and where it comes from: a file, the environment or "default".

    Raises SettingsError as `load_settings` does.
    """
    source = path or config_path()
    values, origin = _gathered(source, environ, {})
    settings = _validated(values, origin, str(source))
    return {
        key: (getattr(settings, key), origin.get(key, "default")) for key in Settings.model_fields
    }


def check_settings(text: str, place: Path) -> Settings:
    """Return what a settings file with this text says. Raises SettingsError naming `place`."""
    values = _from_text(text, place)
    return _validated(values, dict.fromkeys(values, str(place)), str(place))


def _gathered(
    source: Path, environ: Mapping[str, str], flags: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return key → value, and key → where that stands; of several places the last one wins."""
    values = _from_file(source) if source.is_file() else {}
    origin = dict.fromkeys(values, str(source))
    for key, value in _from_environment(environ).items():
        values[key] = value
        origin[key] = f"environment variable {ENVIRONMENT_PREFIX}{key.upper()}"
    for key, value in flags.items():
        if value is not None:
            values[key] = value
            origin[key] = f"option --{key.replace('_', '-')}"
    if origin.get("state") != origin.get("vault") and origin.get("state") == str(source):
        del values["state"], origin["state"]  # it is the state of the file's vault, and no other's
    return values, origin


def _validated(values: Mapping[str, Any], origin: Mapping[str, str], source: str) -> Settings:
    for key in values:
        if key not in Settings.model_fields:
            raise SettingsError(f"{origin[key]}: {unknown_setting(key)}")
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        raise SettingsError(
            f"{origin.get(key, source)}: {key} = {values.get(key)!r}: {_in_words(first)}"
        ) from None


def unknown_setting(key: str) -> str:
    """Say that no setting is called so, and which one may have been meant."""
    near = get_close_matches(key, Settings.model_fields, n=1)
    return f"unknown setting {key}" + (f"; did you mean {near[0]}?" if near else "")


def odd_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return what looks like a setting in the environment and is none, with what was meant."""
    known = {ENVIRONMENT_PREFIX + key.upper() for key in Settings.model_fields} | _NO_SETTINGS
    odd = sorted(key for key in environ if key.startswith(ENVIRONMENT_PREFIX) and key not in known)
    nearest = {key: get_close_matches(key, known, n=1) for key in odd if not key.endswith("_KEY")}
    return [f"{key}; did you mean {near[0]}?" if near else key for key, near in nearest.items()]


def _in_words(error: ErrorDetails) -> str:
    """Say what a value must be, as a user would."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "string_type" and len(error["loc"]) > 1:
        return 'must be a list of texts in quotes, such as ["Templates"]'
    if kind in ("literal_error", "enum"):
        return f"must be {context['expected']}"
    if kind in _KINDS:
        return f"must be {_KINDS[kind]}"
    if kind in _BOUNDS:
        return f"must be {_BOUNDS[kind]} {next(iter(context.values()))}"
    return error["msg"].removeprefix("Value error, ")


def _is_origin(text: str) -> bool:
    """Whether it is scheme, host and perhaps port, each in full and nothing else."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(host)
        and port != 0
        and parts.path in ("", "/")
        and not re.search(r"[\s*@?#\\]|:$", text)
    )


def _at_home(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError(str(error).lower()) from None


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return _from_text(path.read_text(encoding="utf-8"), path)
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None


def _from_text(text: str, path: Path) -> dict[str, Any]:
    """Read a settings file's text; paths in it that are not absolute begin at the file's folder."""
    folder = path.absolute().parent
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    return {
        key: _beside(folder, value) if key in _PATHS else value for key, value in values.items()
    }


def _beside(folder: Path, value: object) -> object:
    is_relative = isinstance(value, str) and value.strip() and not value.startswith("~")
    return str(folder / str(value)) if is_relative else value


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, info in Settings.model_fields.items():
        text = environ.get(ENVIRONMENT_PREFIX + key.upper())
        if not text:  # set to nothing, as scripts do to take a setting back
            continue
        is_list = str(info.annotation).startswith("tuple")
        values[key] = (
            [part.strip() for part in text.split(",") if part.strip()] if is_list else text
        )
    return values


def packaged(name: str) -> Path:
    """Where a folder that travels with Lacuna is: in the package, or in the checkout."""
    here = Path(__file__).parent
    inside = here / "samples" / name
    return inside if inside.is_dir() else here.parent / name
