"""One source's settings, as they stand in sources.yaml, and what they may hold."""

import re
import shlex
from collections.abc import Iterator
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from daemon.model.evidence import SourceType
from daemon.model.spending import Cap, Measure, Span, caps_of, of_source

_KEY = re.compile(r"\{([A-Za-z0-9_-]+)\}")
TYPES = {
    "library": "Your own documents, searched on this machine.",
    "api": "A service with an interface of its own; its adapter knows how to ask it.",
    "feed": "A site's feed (RSS, Atom, JSON Feed) at `base_url`; new entries are its results.",
    "mcp": "Any MCP server: a program that Lacuna starts, or an address.",
    "internal": "A part of Lacuna itself; none of this kind comes with it.",
}
MCP_ONLY = ("command", "args", "env", "headers", "tool", "arguments", "results")
API_KEY = "api_key"  # `{api_key}` stands for the entry's own key, whatever its name


class Rate(BaseModel):
    """How often a source may be asked; 0 means that there is no such limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    per_second: float = Field(default=0.0, ge=0, le=1000)
    minute: int = Field(default=0, ge=0, le=100_000)
    day: int = Field(default=0, ge=0, le=10_000_000)
    concurrency: int = Field(default=1, ge=1, le=20)
    least_interval_seconds: float = Field(default=0.0, ge=0, le=3600)

    @property
    def interval(self) -> float:
        """The seconds from one request to the next, by whichever limit is the stricter."""
        by_second = 1 / self.per_second if self.per_second else 0.0
        by_minute = 60 / self.minute if self.minute else 0.0
        return max(self.least_interval_seconds, by_second, by_minute)


class Cost(BaseModel):
    """What a request costs, in US dollars."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    per_request: float = Field(default=0.0, ge=0, le=100)


class SourceBudget(BaseModel):
    """The most that a source may take, by run, day and month; 0 means that there is no such cap.

    `mb` are megabytes that come, `money` is in US dollars, `findings` are those made of it.
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
    """Where in an MCP tool's answer its records are, and in a record what is wanted of it.

    Each is a path such as `data.items` or `publication.year`; "" looks under the usual names.
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


class Entry(BaseModel):
    """One source's settings. `adapter` names what speaks to it; by default, the entry's name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["internal", "library", "api", "feed", "mcp"] = Field(
        description="Which kind of source it is; each kind is explained below."
    )
    adapter: str = Field(
        description="The adapter that connects to the source; default: by its name, or its type."
    )
    description: str = Field(default="", description="What it is, on one line, for lists.")
    layers: tuple[Literal["search", "research", "gather", "synthesize"], ...] = Field(
        default=("research",),
        description="Where it takes part: search and research are asked questions, gather looks up"
        " documents, synthesize is asked nothing yet.",
    )
    enabled: bool = Field(default=True, description="false leaves it out.")
    opt_in: bool = Field(
        default=False, description="true leaves it out until you write `opt_in: false`."
    )
    always_available: bool = Field(
        default=False, description="true has it asked for every task, whatever the topic."
    )
    api_key: str = Field(
        default="",
        description="The name of its key (`lacuna secrets set NAME`), never the key itself.",
    )
    base_url: str = Field(default="", description="Where it is; for type mcp, `url` says the same.")
    content_type: Literal["documents", "structured_data"] = Field(
        default="documents",
        description="documents, or structured_data: its figures are shown as a table.",
    )
    authority: Literal["high", "medium", "low"] = Field(
        default="medium",
        description="How far its documents are trusted before anything is known of them.",
    )
    good_for: tuple[str, ...] = Field(default=(), description="What it is worth asking about.")
    models: tuple[str, ...] = Field(
        default=(),
        description="The models that it may use, where it has a choice; the first is taken.",
    )
    note: str = Field(default="", description="What to know about it.")
    source_type: SourceType = Field(default=SourceType.WEB, description="What its documents are.")
    rate: Rate = Field(default=Rate(), description="How often it may be asked; 0 for no limit.")
    cost: Cost = Field(default=Cost(), description="What a request costs, in US dollars.")
    budget: SourceBudget = Field(
        default=SourceBudget(),
        description="What may be spent on it in a run, a day, a month; 0 for no cap.",
    )
    max_latency_ms: int = Field(
        default=30_000,
        gt=0,
        le=3_600_000,
        description="Milliseconds after which it counts as unavailable.",
    )
    command: tuple[str, ...] = Field(
        default=(), description="The program to start; no shell is between."
    )
    args: tuple[str, ...] = Field(default=(), description="What the program is called with.")
    env: dict[str, str] = Field(
        default={},
        description="Variables for the program; `{name}` stands for the key of that name.",
    )
    headers: dict[str, str] = Field(
        default={}, description="Headers to send; `{name}` stands for the key of that name."
    )
    tool: str = Field(default="", description="The tool that is called.")
    arguments: dict[str, Any] = Field(
        default={},
        description="What the tool is called with; `{query}` and `{limit}` stand for question and"
        " number.",
    )
    results: Results = Field(
        default=Results(),
        description="Where in the answer the records are, and in a record what is wanted of it.",
    )

    @model_validator(mode="before")
    @classmethod
    def _url_is_base_url(cls, values: Any) -> Any:
        """Take `url`, which is how MCP programs call it, for `base_url`."""
        if isinstance(values, dict) and values.get("type") == "mcp" and "url" in values:
            values = dict(values)
            values["base_url"] = values.pop("url")
        return values

    @field_validator("command", mode="before")
    @classmethod
    def _as_words(cls, value: Any) -> Any:
        """Split a command that is written on one line, as a shell would; no shell ever sees it."""
        return shlex.split(value) if isinstance(value, str) else value

    @field_validator("base_url")
    @classmethod
    def _is_a_web_address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        return value.rstrip("/")

    @field_validator("env")
    @classmethod
    def _are_variables(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not name or "=" in name or "\0" in name + text:
                raise ValueError(f"{name!r} is no name of a variable")
        return value

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not re.fullmatch(r"[A-Za-z0-9-]+", name) or not text.isprintable():
                raise ValueError(f"{name!r} is no header")
        return value

    @field_validator("arguments")
    @classmethod
    def _hold_the_question(cls, value: dict[str, Any]) -> dict[str, Any]:
        if value and "{query}" not in "".join(texts_in(value)):
            raise ValueError("{query}, which stands for the question, is nowhere in them")
        return value

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        if self.type == "mcp":
            if self.command and self.base_url:
                raise ValueError("command and url exclude each other: a server is reached by one")
            if self.command and self.api_key and not self._hands_key_on(self.env):
                raise ValueError(
                    f"env: must hand the key on to the server, as NAME: '{{{self.api_key}}}'"
                )
            return self
        for name in MCP_ONLY:
            if name in self.model_fields_set:
                raise ValueError(f"{name}: only sources of type mcp have this")
        return self

    @property
    def timeout_seconds(self) -> float:
        """After this long without an answer the source counts as unavailable."""
        return self.max_latency_ms / 1000

    def caps(self, name: str) -> list[Cap]:
        """The caps of this source, called `name`: the service's own day's, and the user's."""
        told = self.budget
        caps = [Cap(Span.QUOTA, Measure.REQUESTS, self.rate.day)] if self.rate.day else []
        for span in (Span.RUN, Span.DAY, Span.MONTH):
            caps += caps_of(
                span,
                requests=getattr(told, f"{span}_requests"),
                mb=getattr(told, f"{span}_mb"),
                money=getattr(told, f"{span}_money"),
                findings=getattr(told, f"{span}_findings"),
            )
        return of_source(name, caps)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of all keys that the source wants."""
        told = [*self.env.values(), *self.headers.values()]
        named = [name for text in told for name in _KEY.findall(text) if name != API_KEY]
        return tuple(dict.fromkeys([*filter(None, [self.api_key]), *named]))

    def _hands_key_on(self, told: dict[str, str]) -> bool:
        found = {name for text in told.values() for name in _KEY.findall(text)}
        return bool(found & {API_KEY, self.api_key})


def with_keys(text: str, keys: dict[str, str]) -> str:
    """Put keys in the places that name them."""
    return _KEY.sub(lambda found: keys.get(found[1], found[0]), text)


def texts_in(value: object) -> Iterator[str]:
    """All texts in nested lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)
