"""Settings of language models: what each role uses, where providers are, and what may be spent."""

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from daemon.config.section import Section
from daemon.model.language_models import KNOWN_PROVIDERS, ProviderKind, Role

_Dollars = Annotated[float, Field(ge=0, le=1e6)]  # finite, too: "nan" is not in the range
_MODEL = "As `provider/model`, such as `ollama/llama3.2`; empty: none."


class ProviderSettings(Section):
    """A provider of language models: the API that it speaks, and where it is."""

    kind: ProviderKind = Field(
        default=ProviderKind.OPENAI, description=f"The API: one of {', '.join(ProviderKind)}."
    )
    base_url: str = Field(default="", description="Address of the API.")
    parallel: int = Field(
        default=0, ge=0, le=6, description="Calls at once; 0: 1 on this machine, 6 elsewhere."
    )
    context: int = Field(
        default=0, ge=0, description="Tokens that its models can read and write; 0: unknown."
    )
    usd_per_month: float = Field(
        default=0.0, ge=0, le=1e6, description="Maximum US dollars per month; 0: no limit."
    )

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        return value.rstrip("/")


class ModelSettings(Section):
    """Language models. Lacuna needs none; with a writer, findings get a short text."""

    classifier: str = Field(default="", description=f"Model that classifies. {_MODEL}")
    reader: str = Field(default="", description=f"Model that reads sources. {_MODEL}")
    writer: str = Field(default="", description=f"Model that writes texts of findings. {_MODEL}")
    checker: str = Field(default="", description=f"Model that checks sentences. {_MODEL}")
    remote: tuple[str, ...] = Field(
        default=(),
        description="Providers on other machines that may receive text of sources and questions.",
    )
    providers: dict[str, ProviderSettings] = Field(
        default={},
        description="Your own providers, each a table [models.providers.NAME]; "
        f"{', '.join(KNOWN_PROVIDERS)} are known.",
    )
    prices: dict[str, tuple[_Dollars, _Dollars]] = Field(
        default={},
        description="US dollars per million tokens read and written, by `provider/model`; "
        "for others, the price list of the provider is used.",
    )
    long_reports: bool = Field(
        default=False,
        description="Whether the writer may read reports of more than 20 sources at once, which "
        "needs a model with a large context.",
    )
    reader_tokens: int = Field(default=300, ge=50, le=4000, description="Tokens of one reading.")
    writer_tokens: int = Field(default=600, ge=100, le=8000, description="Tokens of one text.")
    tokens_per_run: int = Field(
        default=100_000, ge=0, description="Maximum tokens per run; 0: no limit."
    )
    tokens_per_day: int = Field(
        default=500_000, ge=0, description="Maximum tokens per day; 0: no limit."
    )
    tokens_per_month: int = Field(
        default=5_000_000, ge=0, description="Maximum tokens per month; 0: no limit."
    )
    call_seconds: float = Field(
        default=180.0, gt=0, le=3600, description="Timeout per call (seconds)."
    )
    run_seconds: float = Field(
        default=1800.0, gt=0, le=86_400, description="Timeout of all calls of a run (seconds)."
    )

    def of(self, role: Role) -> tuple[str, str]:
        """Return the provider and the model of a role, ("", "") when it has none."""
        provider, _, model = str(getattr(self, role.value)).partition("/")
        return (provider, model) if model else ("", "")

    def provider(self, name: str) -> ProviderSettings:
        """Return the address of a provider: from the settings, or the known default."""
        kind, base_url = KNOWN_PROVIDERS.get(name, (ProviderKind.OPENAI, ""))
        own = self.providers.get(name, ProviderSettings(kind=kind))
        return own if own.base_url else own.model_copy(update={"kind": kind, "base_url": base_url})

    @model_validator(mode="after")
    def _names_providers(self) -> Self:
        known = [*KNOWN_PROVIDERS, *self.providers]
        for role in Role:
            value = str(getattr(self, role.value))
            provider, _, model = value.partition("/")
            if value and (not model or provider not in known):
                raise ValueError(
                    f"{role}: “{value}” must be provider/model, with one of {', '.join(known)}"
                )
        return self
