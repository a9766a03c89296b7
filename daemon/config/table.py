"""The one table of settings: every key, its type, its default and its meaning."""

import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from daemon.config.hooks import hook_table
from daemon.config.schedules import Day, Schedule, check_name, is_time
from daemon.model.agenda import Approval, Depth
from daemon.model.finding import InboxLayout
from daemon.model.hooks import HookEvent

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_SINGLE_PATHS = ("vault", "state", "library", "model_path", "retraction_watch")
PATHS = (*_SINGLE_PATHS, "library_extra")
# Characters that end a wikilink, or part it.
_UNLINKABLE = frozenset("[]#^|\0\n\r\t")


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
        description="A folder of your own documents (md, html, txt, pdf, epub, docx) to research.",
    )
    library_extra: tuple[Path, ...] = Field(
        default=(),
        description="More folders and single files of your library, read where they are.",
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
    model_backend: Literal["auto", "torch", "onnx"] = Field(
        default="auto",
        description="What embeds: torch, onnx (an int8 copy of the model, made on this machine and"
        " compared with the original), or auto for the faster of the two.",
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
    reranker: str = Field(
        default="auto",
        description="The cross-encoder that decides what answers a question: auto, off, or the"
        " absolute path of a folder that holds one.",
    )
    several_machines: bool = Field(
        default=True,
        description="Whether other machines may run Lacuna on the same synced vault: each keeps a"
        " small note with its heartbeat in the inbox, and one of them researches.",
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
    research_tag: str = Field(
        default="research",
        description="The tag by which a note asks for research, besides the property; empty for"
        " none.",
    )
    research_waiting: int = Field(
        default=20,
        ge=1,
        le=1000,
        description="Notes that ask for research and have a place in the queue at once, at most;"
        " the others have their turn as it gets shorter.",
    )
    weekly: bool = Field(
        default=True, description="Whether to research the whole vault once a week."
    )
    weekly_day: Day = Field(default="sun", description="The day of the weekly run.")
    weekly_time: str = Field(
        default="09:00", description="The local time of the weekly run, HH:MM."
    )
    weekly_jitter_minutes: int = Field(
        default=0,
        ge=0,
        le=720,
        description="Minutes by which the weekly run may come later, by chance.",
    )
    nightly: bool = Field(
        default=False,
        description="Whether to research at night what stands in the queue note in the inbox.",
    )
    nightly_from: str = Field(
        default="02:00", description="The local time at which the night's research begins, HH:MM."
    )
    nightly_until: str = Field(
        default="06:00", description="The local time by which it is done, HH:MM."
    )
    nightly_jitter_minutes: int = Field(
        default=0,
        ge=0,
        le=120,
        description="Minutes by which the night's research may begin later, by chance.",
    )
    nightly_most: int = Field(
        default=20, ge=1, le=20, description="Topics and addresses researched in a night at most."
    )
    schedules: dict[str, Schedule] = Field(
        default={},
        description="Schedules of your own, each a table [schedules.NAME]; see below.",
    )
    quiet_from: str = Field(
        default="",
        description="The local time from which nothing scheduled runs, HH:MM; empty for none.",
    )
    quiet_to: str = Field(default="", description="The local time at which quiet hours end, HH:MM.")
    battery_min_percent: int = Field(
        default=30,
        ge=0,
        le=100,
        description="On battery, what is scheduled waits below this charge, and a long index waits"
        " for the charger; 0 for never.",
    )
    metered_wait: bool = Field(
        default=True, description="Whether what is scheduled waits while the network is metered."
    )
    offline_wait: bool = Field(
        default=True, description="Whether research waits while there is no network."
    )
    depth: Depth = Field(
        default=Depth.STANDARD, description="How far a run goes: quick, standard, deep."
    )
    inbox_layout: InboxLayout = Field(
        default=InboxLayout.FLAT,
        description="Where findings are written: flat, in the inbox itself, or runs, in a folder"
        " for each run.",
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
    budget_run_requests: int = Field(
        default=2000, ge=0, description="Requests one run may send over the network; 0 is no limit."
    )
    budget_run_mb: float = Field(
        default=500.0, ge=0, le=1e9, description="Megabytes one run may bring; 0 is no limit."
    )
    budget_run_money: float = Field(
        default=1.0,
        ge=0,
        le=1e6,
        description="US dollars one run may spend at sources that cost; 0 is no limit."
        " What a run may find at most is max_findings.",
    )
    budget_day_requests: int = Field(
        default=10_000, ge=0, description="Requests sent in a day at most; 0 is no limit."
    )
    budget_day_mb: float = Field(
        default=2000.0, ge=0, le=1e9, description="Megabytes brought in a day; 0 is no limit."
    )
    budget_day_money: float = Field(
        default=2.0, ge=0, le=1e6, description="US dollars spent in a day; 0 is no limit."
    )
    budget_day_findings: int = Field(
        default=50, ge=0, description="Findings written in a day at most; 0 is no limit."
    )
    budget_month_requests: int = Field(
        default=100_000, ge=0, description="Requests sent in a month at most; 0 is no limit."
    )
    budget_month_mb: float = Field(
        default=20_000.0, ge=0, le=1e9, description="Megabytes brought in a month; 0 is no limit."
    )
    budget_month_money: float = Field(
        default=10.0, ge=0, le=1e6, description="US dollars spent in a month; 0 is no limit."
    )
    budget_month_findings: int = Field(
        default=500, ge=0, description="Findings written in a month at most; 0 is no limit."
    )
    keep_runs_days: int = Field(
        default=365,
        ge=0,
        le=36_500,
        description="Days the record of a run is kept, for replays; 0 is for ever. What an"
        " undecided finding or an unfinished run needs is always kept.",
    )
    keep_runs_mb: float = Field(
        default=2000.0,
        ge=0,
        le=1e9,
        description="Megabytes the records of runs may take, before the oldest go; 0 is no limit.",
    )
    keep_cache_mb: float = Field(
        default=500.0,
        ge=0,
        le=1e9,
        description="Megabytes that replays may take in the state folder; 0 is no limit.",
    )
    keep_ledger_days: int = Field(
        default=180,
        ge=0,
        le=36_500,
        description="Days that each single request is kept for `lacuna privacy`, besides the sums;"
        " 0 is for ever.",
    )
    keep_log_mb: float = Field(
        default=20.0,
        ge=0,
        le=1e6,
        description="Megabytes a log file in the state folder may take before its older half goes;"
        " 0 is no limit.",
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

    @field_validator("*", mode="before")
    @classmethod
    def _is_no_truth(cls, value: object, info: ValidationInfo) -> object:
        kind = cls.model_fields[info.field_name or ""].annotation
        if isinstance(value, bool) and kind in (int, float):
            raise ValueError("must be a whole number" if kind is int else "must be a number")
        return value

    @field_validator("research_tag")
    @classmethod
    def _is_a_tag(cls, value: str) -> str:
        tag = value.strip().removeprefix("#")
        if not re.fullmatch(r"[\w/-]*", tag) or tag.isdecimal():
            raise ValueError("must be a tag such as research")
        return tag

    @field_validator("inbox")
    @classmethod
    def _inbox_is_inside(cls, value: str) -> str:
        parts = value.replace("\\", "/").strip("/").split("/")
        if value.startswith(("/", "~")) or any(part in ("", ".", "..") for part in parts):
            raise ValueError("must be a folder inside the vault, such as Inbox/Research")
        if any(part.startswith(".") for part in parts):
            raise ValueError("must not be hidden: note-taking tools do not show such folders")
        if odd := _UNLINKABLE.intersection(value):
            raise ValueError(f"must not hold {min(odd)!r}, which no link can name")
        return "/".join(parts)

    @field_validator("weekly_time", "nightly_from", "nightly_until")
    @classmethod
    def _is_a_time(cls, value: str) -> str:
        return is_time(value)

    @field_validator("reranker")
    @classmethod
    def _is_a_reranker(cls, value: str) -> str:
        if value not in ("auto", "off") and not value.startswith(("/", "~/")):
            raise ValueError("must be auto, off, or the absolute path of a folder")
        return value

    @field_validator("quiet_from", "quiet_to")
    @classmethod
    def _is_a_time_or_nothing(cls, value: str) -> str:
        return is_time(value) if value else ""

    @field_validator("quiet_to")
    @classmethod
    def _leaves_the_night(cls, value: str, info: ValidationInfo) -> str:
        begin, night = info.data.get("quiet_from"), info.data.get("nightly_from")
        if begin and value and night and info.data.get("nightly"):
            is_within = begin <= night < value if begin < value else night >= begin or night < value
            if is_within:
                raise ValueError(f"quiet hours from {begin} hold nightly_from ({night})")
        return value

    @field_validator("schedules")
    @classmethod
    def _are_called_well(cls, value: dict[str, Schedule]) -> dict[str, Schedule]:
        for name in value:
            check_name(name)
        return value

    @field_validator("allow_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not _is_origin(origin):
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

    @field_validator(*_SINGLE_PATHS, mode="before")
    @classmethod
    def _is_a_path(cls, value: object) -> object:
        if isinstance(value, str) and (not value.strip() or "\0" in value):
            raise ValueError("must be the path of a folder")
        return value

    @field_validator(*_SINGLE_PATHS)
    @classmethod
    def _is_absolute(cls, value: Path | None) -> Path | None:
        if value is None:
            return None
        path = _at_home(value).absolute()
        return path.resolve() if ".." in path.parts else path

    @field_validator("library_extra")
    @classmethod
    def _are_paths(cls, values: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(_at_home(value).absolute() for value in values)


def is_address(text: str) -> bool:
    """Whether it is an http or https URL with a host, and without a user name or a fragment."""
    try:
        parts = urlsplit(text.split("?", 1)[0])
    except ValueError:
        return False
    is_plain = text.isprintable() and not re.search(r"[\s\\#]", text)
    return is_plain and _is_origin(f"{parts.scheme}://{parts.netloc}")


def origin_text(address: str) -> str:
    """Return the origin of an address: scheme, host and, if it is given, port."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


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
