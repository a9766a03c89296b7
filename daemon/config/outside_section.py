"""What is reached outside of the vault: origins, hooks, notices, telemetry, keys, logs."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationInfo, field_validator

from daemon.config.addresses import is_address, is_origin
from daemon.config.hooks import hook_table
from daemon.config.section import Section
from daemon.model.hook_event import HookEvent


class OutsideSettings(Section):
    """What is reached outside of the vault: origins, hooks, notices, telemetry, keys, logs."""

    allow_origins: tuple[str, ...] = Field(
        default=(),
        description="Exact origins at private addresses (such as http://127.0.0.1:8080) that"
        " sources may use; documents are never fetched from them.",
    )
    contact: str = Field(
        default="",
        description="Your email address, sent to sources in the user agent; optional.",
    )
    confine: bool = Field(
        default=True,
        description="Restrict the daemon's writes to the inbox and the state (Linux, Landlock).",
    )
    confine_except: tuple[str, ...] = Field(
        default=(),
        description="Folders outside the vault that hooks and MCP servers may write to.",
    )
    hooks: dict[HookEvent, tuple[tuple[str, ...], ...]] = Field(
        default={},
        description="Your own commands by event, each a list of arguments; see the guide.",
    )
    hook_seconds: float = Field(
        default=30.0, gt=0, le=600, description="Timeout of a hook call (seconds)."
    )
    hook_failure: Literal["keep", "drop"] = Field(
        default="keep",
        description="If a filtering hook fails: keep or drop the items it was asked about.",
    )
    notify_desktop: bool = Field(default=True, description="Notify on the desktop.")
    notify_ntfy: str = Field(
        default="",
        description="The ntfy topic for notifications, such as https://ntfy.sh/your-topic; its"
        " token is the secret ntfy.",
    )
    notify_webhook: str = Field(
        default="",
        description="The address for signed notifications; the signing key is the secret webhook.",
    )
    notify_digest: bool = Field(default=True, description="Notify when a run has ended.")
    notify_agenda: bool = Field(
        default=True, description="Notify when an agenda waits for approval."
    )
    notify_error: bool = Field(default=True, description="Notify when the daemon cannot work.")
    notify_budget: bool = Field(default=True, description="Notify when a budget is used up.")
    notify_text: bool = Field(
        default=False,
        description="Include titles, topics and files in notifications; otherwise only counts.",
    )
    telemetry: bool = Field(
        default=False,
        description="Send OpenTelemetry spans of runs; needs the extra `telemetry`.",
    )
    telemetry_endpoint: str = Field(
        default="http://127.0.0.1:4318",
        description="The OTLP/HTTP collector for spans.",
    )
    secrets_in: Literal["keyring", "file"] = Field(
        default="keyring",
        description="Where keys are stored: in the system's keyring, or encrypted in secrets.enc"
        " next to this file.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Minimum level to log."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="Log format: text, or one JSON object per line."
    )

    @field_validator("allow_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not is_origin(origin):
                raise ValueError(f"{origin!r} is not an exact origin such as http://127.0.0.1:8080")
        return value

    @field_validator("confine_except")
    @classmethod
    def _are_absolute(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for path in value:
            if not path.startswith(("/", "~/")) or "\0" in path:
                raise ValueError(f"{path!r} must be a folder's whole path, such as ~/.cache/uv")
        return value

    @field_validator("hooks", mode="before")
    @classmethod
    def _are_hooks(cls, value: object) -> object:
        return hook_table(value)

    @field_validator("notify_ntfy", "notify_webhook", "telemetry_endpoint")
    @classmethod
    def _is_an_address(cls, value: str, info: ValidationInfo) -> str:
        if value and not is_address(value):
            raise ValueError("must be an address such as https://example.org/path")
        if info.field_name == "notify_ntfy" and value and not urlsplit(value).path.strip("/"):
            raise ValueError("must end with the topic, such as https://ntfy.sh/your-topic")
        return value
