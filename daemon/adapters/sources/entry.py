"""One source's settings in sources.yaml, and their valid values."""

import re
import shlex
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from daemon.adapters.sources.filling import filled, named_in, texts_in
from daemon.model.evidence import SourceType
from daemon.model.sources import Domain
from daemon.model.spending import Cap, Measure, Span, caps_of, of_source

TYPES = {
    "library": "Your own documents, searched on this machine.",
    "api": "A service with its own interface; its adapter knows how to query it.",
    "feed": "A site's feed (RSS, Atom, JSON Feed) at `base_url`; new entries are its results.",
    "json": "Any service that answers with JSON; the entry says how to ask it and read it.",
    "mcp": "Any MCP server: a program that Lacuna starts, or an address.",
    "internal": "A part of Lacuna itself; no source of this kind is included.",
}
MCP_ONLY = ("command", "args", "env", "tool")
JSON_ONLY = ("method", "paging", "key_optional")
MAPPED_ONLY = ("headers", "arguments", "results")  # types mcp and json
# What stands for something other than a key in what is sent.
QUESTION_PLACEHOLDERS = (
    "query",
    "words",
    "all_words",
    "limit",
    "page",
    "offset",
    "cursor",
    "model",
    "contact",
)
_QUESTIONS = frozenset({"query", "words", "all_words"})
API_KEY = "api_key"  # `{api_key}` stands for the entry's own key, whatever its name


class Rate(BaseModel):
    """How often a source may be queried; 0 means no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    per_second: float = Field(default=0.0, ge=0, le=1000)
    minute: int = Field(default=0, ge=0, le=100_000)
    day: int = Field(default=0, ge=0, le=10_000_000)
    concurrency: int = Field(default=1, ge=1, le=20)
    least_interval_seconds: float = Field(default=0.0, ge=0, le=3600)

    @property
    def interval(self) -> float:
        """Return the seconds from one request to the next, by the stricter limit."""
        by_second = 1 / self.per_second if self.per_second else 0.0
        by_minute = 60 / self.minute if self.minute else 0.0
        return max(self.least_interval_seconds, by_second, by_minute)


class Cost(BaseModel):
    """The cost of a request, in US dollars."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    per_request: float = Field(default=0.0, ge=0, le=100)


class SourceBudget(BaseModel):
    """The most that a source may use, by run, day and month; 0 means no cap.

    `mb` are megabytes received, `money` is in US dollars, `findings` are those made from it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    run_requests: int = Field(default=0, ge=0)
    run_mb: float = Field(default=0.0, ge=0, le=1e9)
    run_money: float = Field(default=0.0, ge=0, le=1e6)
    run_findings: int = Field(default=0, ge=0)
    day_requests: int = Field(default=0, ge=0)
    day_mb: float = Field(default=0.0, ge=0, le=1e9)
    day_money: float = Field(default=0.0, ge=0, le=1e6)
    day_findings: int = Field(default=0, ge=0)
    month_requests: int = Field(default=0, ge=0)
    month_mb: float = Field(default=0.0, ge=0, le=1e9)
    month_money: float = Field(default=0.0, ge=0, le=1e6)
    month_findings: int = Field(default=0, ge=0)


class Results(BaseModel):
    """Where the records are in an answer, and the fields in a record.

    Each is a path such as `data.items` or `publication.year`, or JMESPath; "" searches under the
    usual names. `figures` is an object of numbers, for structured data. `match` is a record's name:
    only records whose name is in the question are kept, for services that list everything.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    records: str = ""
    title: str = ""
    url: str = ""
    text: str = ""
    date: str = ""
    authors: str = ""
    doi: str = ""
    citations: str = ""
    figures: str = ""
    match: str = ""


class Paging(BaseModel):
    """How to request further pages of results.

    `{limit}` is at most `size`, and up to `pages` pages are requested; `{page}` counts from
    `first`. `next` is the path to the `{cursor}` of the next page, `wait` to the delay in seconds
    that the service asks for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: int = Field(default=1, ge=0, le=1)
    size: int = Field(default=100, ge=1, le=1000)
    pages: int = Field(default=1, ge=1, le=10)
    next: str = ""
    wait: str = ""


class Entry(BaseModel):
    """One source's settings. `adapter` names its adapter; default: the entry's name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["internal", "library", "api", "feed", "json", "mcp"] = Field(
        description="Which kind of source it is; each kind is explained below."
    )
    adapter: str = Field(
        description="The adapter that connects to the source; default: by its name, or its type."
    )
    description: str = Field(default="", description="A description on one line, for lists.")
    layers: tuple[Literal["search", "research", "gather", "synthesize"], ...] = Field(
        default=("research",),
        description="Where it takes part: search and research send queries, gather looks up "
        "documents, synthesize is not used yet.",
    )
    enabled: bool = Field(default=True, description="false turns it off.")
    opt_in: bool = Field(
        default=False,
        description="true keeps it off until your own file sets `enabled: true`.",
    )
    always_available: bool = Field(
        default=False, description="true queries it for every task, whatever the topic."
    )
    api_key: str = Field(
        default="",
        description="The name of its key (`lacuna secrets set NAME`), never the key itself.",
    )
    key_optional: bool = Field(
        default=False, description="true uses the source without its key too, where there is none."
    )
    base_url: str = Field(
        default="", description="Its address; for types json and mcp, `url` means the same."
    )
    content_type: Literal["documents", "structured_data"] = Field(
        default="documents",
        description="documents, or structured_data: its figures are shown as a table.",
    )
    authority: Literal["high", "medium", "low"] = Field(
        default="medium",
        description="How much its documents are trusted before anything is known about them.",
    )
    good_for: tuple[str, ...] = Field(
        default=(),
        description="The topics it covers. A source is preferred for a topic that shares words "
        "with these; `anything` suits every topic.",
    )
    domains: tuple[Domain, ...] = Field(
        default=(), description="Topics of these domains are put to it first, others after."
    )
    models: tuple[str, ...] = Field(
        default=(),
        description="The models that it may use, if it has a choice; the first is used.",
    )
    note: str = Field(default="", description="Remarks.")
    source_type: SourceType = Field(
        default=SourceType.WEB, description="The kind of its documents."
    )
    rate: Rate = Field(
        default=Rate(),
        description="How often it may be queried; 0 for no limit. `least_interval_seconds` is the "
        "minimum time between two requests.",
    )
    cost: Cost = Field(default=Cost(), description="The cost of a request, in US dollars.")
    budget: SourceBudget = Field(
        default=SourceBudget(),
        description="What it may cost in a run, a day, a month; 0 for no cap.",
    )
    max_latency_ms: int = Field(
        default=30_000,
        gt=0,
        le=3_600_000,
        description="Milliseconds without an answer after which it counts as unavailable.",
    )
    command: tuple[str, ...] = Field(
        default=(), description="The program to start, without a shell."
    )
    args: tuple[str, ...] = Field(default=(), description="Arguments of the program.")
    env: dict[str, str] = Field(
        default={},
        description="Environment variables; `{name}` stands for the key of that name.",
    )
    headers: dict[str, str] = Field(
        default={}, description="Headers to send; `{name}` stands for the key of that name."
    )
    tool: str = Field(default="", description="The tool to call.")
    arguments: dict[str, Any] = Field(
        default={},
        description="Arguments of the tool or the address; `{query}` and `{limit}` stand for the "
        "query and the number of results.",
    )
    method: Literal["get", "post"] = Field(
        default="get", description="get sends `arguments` in the address, post as JSON."
    )
    paging: Paging = Field(
        default=Paging(), description="How further pages of results are requested."
    )
    results: Results = Field(
        default=Results(),
        description="Where the records are in the answer, and the fields in a record.",
    )

    @model_validator(mode="before")
    @classmethod
    def _url_is_base_url(cls, values: Any) -> Any:
        """Accept `url`, the usual name, for `base_url`."""
        kinds = ("json", "mcp")
        if isinstance(values, dict) and values.get("type") in kinds and "url" in values:
            values = dict(values)
            values["base_url"] = values.pop("url")
        return values

    @field_validator("command", mode="before")
    @classmethod
    def _as_words(cls, value: Any) -> Any:
        """Split a command on one line as a shell would; no shell is used."""
        return shlex.split(value) if isinstance(value, str) else value

    @field_validator("base_url")
    @classmethod
    def _is_a_web_address(cls, value: str, info: ValidationInfo) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        if info.data.get("type") != "json":
            return value.rstrip("/")
        if "{" in re.split(r"[/?#]", value.partition("://")[2])[0]:
            raise ValueError("placeholders are not allowed in the host")
        return value

    @field_validator("env")
    @classmethod
    def _are_variables(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not name or "=" in name or "\0" in name + text:
                raise ValueError(f"{name!r} is not a valid variable name")
        return value

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not re.fullmatch(r"[A-Za-z0-9-]+", name) or not text.isprintable():
                raise ValueError(f"{name!r} is not a valid header")
        return value

    @field_validator("arguments")
    @classmethod
    def _contain_the_question(cls, value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if info.data.get("type") == "mcp" and value and "{query}" not in "".join(texts_in(value)):
            raise ValueError("they do not contain {query}, which stands for the query")
        return value

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        if self.type == "mcp":
            if self.command and self.base_url:
                raise ValueError("command and url are mutually exclusive")
            if self.command and self.api_key and not self._passes_key_on(self.env):
                raise ValueError(
                    f"env: must pass the key to the server, as NAME: '{{{self.api_key}}}'"
                )
        if self.type == "json":
            self._sends_the_question()
        only = {"mcp": MCP_ONLY, "json": JSON_ONLY, "json or mcp": MAPPED_ONLY}
        for types, names in only.items():
            for name in names:
                if name in self.model_fields_set and self.type not in types.split(" or "):
                    raise ValueError(f"{name}: only valid for sources of type {types}")
        return self

    def _sends_the_question(self) -> None:
        """Raises ValueError for a json source that would ask the same whatever the question."""
        placeholders = {*named_in(self.base_url), *named_in(self.arguments)}
        if self.base_url and not placeholders & _QUESTIONS and not self.results.match:
            raise ValueError(
                "url or arguments: one of them must contain {query}, in place of the question"
            )
        if wrong := {*named_in(self.base_url)} & {"cursor", "contact"}:
            raise ValueError(f"url: {{{min(wrong)}}} can only stand in arguments or headers")

    @property
    def timeout_seconds(self) -> float:
        """After this long without an answer, the source counts as unavailable."""
        return self.max_latency_ms / 1000

    def caps(self, name: str) -> list[Cap]:
        """Return the caps of this source, named `name`: the service's daily cap, and the user's."""
        budget = self.budget
        caps = [Cap(Span.QUOTA, Measure.REQUESTS, self.rate.day)] if self.rate.day else []
        for span in (Span.RUN, Span.DAY, Span.MONTH):
            caps += caps_of(
                span,
                requests=getattr(budget, f"{span}_requests"),
                mb=getattr(budget, f"{span}_mb"),
                money=getattr(budget, f"{span}_money"),
                findings=getattr(budget, f"{span}_findings"),
            )
        return of_source(name, caps)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of all keys that the source uses."""
        sent: list[object] = [self.env, self.headers]
        if self.type == "json":
            sent += [self.base_url, self.arguments]
        others = (*QUESTION_PLACEHOLDERS, API_KEY) if self.type == "json" else (API_KEY,)
        named = [name for each in sent for name in named_in(each) if name not in others]
        return tuple(dict.fromkeys([*filter(None, [self.api_key]), *named]))

    def _passes_key_on(self, values: dict[str, str]) -> bool:
        return bool({*named_in(values)} & {API_KEY, self.api_key})


def with_keys(text: str, keys: dict[str, str]) -> str:
    """Replace placeholders with keys."""
    return str(filled(text, keys))
