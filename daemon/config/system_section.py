"""Settings of the network, hooks, notifications, telemetry, secrets, logs and confinement."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, field_validator

from daemon.config.origins import is_address, is_origin
from daemon.config.section import OnPage, Section
from daemon.model.hook_event import HookEvent

_SHAPE = 'a list of arguments, such as ["/home/me/filter.py", "--strict"], or a list of such lists'


def commands_of(value: object) -> tuple[tuple[str, ...], ...]:
    """Read a list of arguments, or several, as several. Raises ValueError."""
    if isinstance(value, str):
        raise ValueError(f"hooks run without a shell: must be {_SHAPE}")  # noqa: TRY004  pydantic knows no other
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be {_SHAPE}")  # noqa: TRY004  pydantic knows no other
    if value and all(isinstance(each, str) for each in value):
        return (_arguments(value),)
    return tuple(_arguments(each) for each in value)


def _arguments(value: object) -> tuple[str, ...]:
    """Take one command: named by its absolute path, or by a name on PATH."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"must be {_SHAPE}")
    arguments = tuple(str(each) for each in value)
    if not arguments or not arguments[0].strip() or any("\0" in each for each in arguments):
        raise ValueError(f"must be {_SHAPE}")
    command = arguments[0]
    if "/" in command and not command.startswith(("/", "~/")):
        raise ValueError(f"{command!r} must be an absolute path, or a name without a slash")
    if len(arguments) == 1 and "/" not in command and " " in command.strip():
        raise ValueError(
            f"hooks run without a shell: write each argument of {command!r} as a separate string"
        )
    return arguments


Commands = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(commands_of)]


def _commands(meaning: str) -> tuple[tuple[str, ...], ...]:
    found: tuple[tuple[str, ...], ...] = Field(default=(), description=meaning)
    return found


class NetworkSettings(Section):
    """How sources and documents are fetched."""

    allow_origins: tuple[str, ...] = Field(
        default=(),
        description="Exact origins at private addresses (such as http://127.0.0.1:8080) that"
        " sources may use; documents are never fetched from them.",
    )
    contact: str = Field(
        default="",
        description="Your email address, sent to sources in the user agent; optional.",
    )
    timeout_seconds: float = Field(
        default=20.0, gt=0, le=600, description="Timeout per download (seconds)."
    )
    max_download_mb: float = Field(
        default=20.0, gt=0, le=1000, description="Maximum download size (MB)."
    )

    @field_validator("allow_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not is_origin(origin):
                raise ValueError(f"{origin!r} is not an exact origin such as http://127.0.0.1:8080")
        return value


class ConfinementSettings(Section):
    """What the daemon may write to."""

    enabled: bool = Field(
        default=True,
        description="Restrict the daemon's writes to the inbox and the state (Linux, Landlock).",
    )
    allow_write: tuple[str, ...] = Field(
        default=(),
        description="Folders outside the vault that hooks and MCP servers may write to.",
    )

    @field_validator("allow_write")
    @classmethod
    def _are_absolute(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for path in value:
            if not path.startswith(("/", "~/")) or "\0" in path:
                raise ValueError(f"{path!r} must be a folder's whole path, such as ~/.cache/uv")
        return value


class HookSettings(Section):
    """Your own commands by event, each a list of arguments; see the guide."""

    timeout_seconds: float = Field(
        default=30.0, gt=0, le=600, description="Timeout of a hook call (seconds)."
    )
    on_failure: Literal["keep", "drop"] = Field(
        default="keep",
        description="If a filtering hook fails: keep or drop the items it was asked about.",
    )
    pre_research: Commands = _commands("Commands before research; a reply can remove queries.")
    post_discover: Commands = _commands(
        "Commands after the search of a run; a reply can remove results."
    )
    post_extract: Commands = _commands("Commands after reading; a reply can remove documents.")
    post_synthesize: Commands = _commands("Commands before writing; a reply can remove findings.")
    research_complete: Commands = _commands("Commands after a run.")
    pre_search: Commands = _commands("Commands before a search; a reply can remove sources.")
    post_search: Commands = _commands("Commands after a search; a reply can remove results.")
    search_save: Commands = _commands("Commands after a search is saved.")
    pre_ingest: Commands = _commands("Commands before an ingest; a reply can remove inputs.")
    post_ingest: Commands = _commands("Commands after each literature note.")
    ingest_complete: Commands = _commands("Commands after an ingest.")
    agenda_proposed: Commands = _commands("Commands after an agenda is proposed.")
    finding_accepted: Commands = _commands("Commands after you accept a finding.")
    finding_dismissed: Commands = _commands("Commands after you dismiss a finding.")
    finding_reopened: Commands = _commands("Commands after you reopen a finding.")
    budget_reached: Commands = _commands("Commands after a budget is used up.")
    error: Commands = _commands("Commands after an error of the daemon.")

    @property
    def commands(self) -> dict[HookEvent, tuple[tuple[str, ...], ...]]:
        """Return event → commands, for the events that have any."""
        every = {event: getattr(self, event.value) for event in HookEvent}
        return {event: commands for event, commands in every.items() if commands}


class NotificationSettings(Section):
    """Where notifications go, and what about."""

    desktop: OnPage[bool] = Field(default=True, description="Notify on the desktop.")
    ntfy: str = Field(
        default="",
        description="The ntfy topic for notifications, such as https://ntfy.sh/your-topic; its"
        " token is the secret ntfy.",
    )
    webhook: str = Field(
        default="",
        description="The address for signed notifications; the signing key is the secret webhook.",
    )
    digest: bool = Field(default=True, description="Notify when a run has ended.")
    agenda: bool = Field(default=True, description="Notify when an agenda waits for approval.")
    error: bool = Field(default=True, description="Notify when the daemon cannot work.")
    budget: bool = Field(default=True, description="Notify when a budget is used up.")
    include_text: bool = Field(
        default=False,
        description="Include titles, topics and files in notifications; otherwise only counts.",
    )

    @field_validator("ntfy", "webhook")
    @classmethod
    def _is_address(cls, value: str) -> str:
        return require_address(value)

    @field_validator("ntfy")
    @classmethod
    def _has_topic(cls, value: str) -> str:
        if value and not urlsplit(value).path.strip("/"):
            raise ValueError("must end with the topic, such as https://ntfy.sh/your-topic")
        return value


class TelemetrySettings(Section):
    """Spans for your own collector."""

    enabled: bool = Field(
        default=False,
        description="Send OpenTelemetry spans of runs; needs the extra `telemetry`.",
    )
    endpoint: str = Field(
        default="http://127.0.0.1:4318",
        description="The OTLP/HTTP collector for spans.",
    )

    @field_validator("endpoint")
    @classmethod
    def _is_address(cls, value: str) -> str:
        return require_address(value)


class SecretSettings(Section):
    """Where keys are stored."""

    store: Literal["keyring", "file"] = Field(
        default="keyring",
        description="Where keys are stored: in the system's keyring, or encrypted in secrets.enc"
        " next to this file.",
    )


class LogSettings(Section):
    """What is logged."""

    level: OnPage[Literal["debug", "info", "warning", "error"]] = Field(
        default="info", description="Minimum level to log."
    )
    format: OnPage[Literal["text", "json"]] = Field(
        default="text", description="Log format: text, or one JSON object per line."
    )
    max_mb: float = Field(
        default=20.0,
        ge=0,
        le=1e6,
        description="Maximum size of a log file in the state folder (MB); then its older half is"
        " deleted; 0: no limit.",
    )


def require_address(value: str) -> str:
    """Return `value` if it is empty or an address. Raises ValueError."""
    if value and not is_address(value):
        raise ValueError("must be an address such as https://example.org/path")
    return value
