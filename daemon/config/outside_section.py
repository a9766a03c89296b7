"""What is reached outside of the vault: origins, hooks, notices, telemetry, keys, logs."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationInfo, field_validator

from daemon.config.addresses import is_address, is_origin
from daemon.config.hooks import hook_table
from daemon.config.section import Section
from daemon.model.hooks import HookEvent


class OutsideSettings(Section):
    """What is reached outside of the vault: origins, hooks, notices, telemetry, keys, logs."""

    allow_origins: tuple[str, ...] = Field(
        default=(),
        description="Exact origins on private addresses, such as http://127.0.0.1:8080, that a"
        " source of yours may be asked at; no document is fetched from there.",
    )
    contact: str = Field(
        default="",
        description="Your e-mail address, sent to sources in the user agent, if you want.",
    )
    confine: bool = Field(
        default=True,
        description="Whether the daemon gives up the right to write anywhere but into its inbox and"
        " its state (on Linux, with Landlock).",
    )
    confine_except: tuple[str, ...] = Field(
        default=(),
        description="Folders outside of the vault that programs which the daemon starts (hooks, MCP"
        " servers) may write to all the same.",
    )
    hooks: dict[HookEvent, tuple[tuple[str, ...], ...]] = Field(
        default={},
        description="Your own commands by event, each a list of arguments; see the guide.",
    )
    hook_seconds: float = Field(
        default=30.0, gt=0, le=600, description="Seconds one call of a hook may take."
    )
    hook_failure: Literal["keep", "drop"] = Field(
        default="keep",
        description="What becomes of that which a filtering hook was asked about when it fails:"
        " kept, as without it, or left out.",
    )
    notify_desktop: bool = Field(
        default=True, description="Whether to tell you on the desktop, where there is one."
    )
    notify_ntfy: str = Field(
        default="",
        description="An ntfy topic to tell you at, such as https://ntfy.sh/your-topic; its token is"
        " the secret ntfy.",
    )
    notify_webhook: str = Field(
        default="",
        description="An address to send signed notices to; what signs them is the secret webhook.",
    )
    notify_digest: bool = Field(default=True, description="Whether to tell that a run has ended.")
    notify_agenda: bool = Field(
        default=True, description="Whether to tell that an agenda waits for your approval."
    )
    notify_error: bool = Field(
        default=True, description="Whether to tell that something keeps the daemon from its work."
    )
    notify_budget: bool = Field(
        default=True, description="Whether to tell that a budget has ended."
    )
    notify_text: bool = Field(
        default=False,
        description="Whether notices may name findings, topics and files; without it they only"
        " count.",
    )
    telemetry: bool = Field(
        default=False,
        description="Whether to send OpenTelemetry spans of runs; needs the extra telemetry.",
    )
    telemetry_endpoint: str = Field(
        default="http://127.0.0.1:4318",
        description="The OTLP/HTTP collector that spans are sent to.",
    )
    secrets_in: Literal["keyring", "file"] = Field(
        default="keyring",
        description="Where keys are kept: in the system's keyring, or in secrets.enc beside this"
        " file, encrypted with a passphrase.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="How much is logged."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="How logs are written: text, or one JSON object a line."
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
