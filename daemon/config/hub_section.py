"""Settings of a hub: what this vault shares with it, and for the machine that runs it."""

from enum import StrEnum
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from daemon.config.origins import is_origin, is_secure
from daemon.config.section import Section

HUB_KEY = "hub"  # the name of the token, among the keys
SEAL_KEY = "hub_keys"  # the name of the secret with which a hub seals keys of people


class SharedFindings(StrEnum):
    """Which findings are shared."""

    NONE = "none"
    ACCEPTED = "accepted"
    PENDING = "pending"


class HubSettings(Section):
    """A hub of several vaults."""

    url: str = Field(
        default="",
        description="Address of the hub, such as `https://hub.example.org`; empty: this vault"
        " shares nothing. The token is the key `hub`.",
    )
    vault: str = Field(default="", description="Name of this vault on the hub.")
    folders: tuple[str, ...] = Field(
        default=(), description='Folders that are shared; `["."]` is the whole vault.'
    )
    tags: tuple[str, ...] = Field(default=(), description="Tags whose notes are shared.")
    property: str = Field(
        default="", description="A property: a note in which it is true is shared."
    )
    text: bool = Field(
        default=False,
        description="Whether names and text are shared, too; otherwise only embeddings, with a "
        "folder and an id for each note.",
    )
    findings: SharedFindings = Field(
        default=SharedFindings.NONE,
        description="Findings that are shared: `none`, those that you `accepted`, or also `pending`"
        " ones. Only their quotes and sources are sent.",
    )
    receive: bool = Field(
        default=True,
        description="Whether findings of other vaults that fill a gap of this one are written into"
        " its inbox. Gaps are only known to the hub with `hub.text`.",
    )
    documents: bool = Field(
        default=False,
        description="Whether the hub's workers fetch and read web documents for this vault. The hub"
        " then learns their addresses.",
    )
    sources: tuple[str, ...] = Field(
        default=(),
        description="Sources that the hub's workers ask for this vault. The hub then learns the"
        " queries. For a worker: the sources that it asks for vaults.",
    )
    models: tuple[str, ...] = Field(
        default=(),
        description="For a worker: language models that it calls for vaults, as `provider/model`,"
        " of providers with the API of OpenAI.",
    )
    database: str = Field(
        default="",
        description="URL of the hub's database, such as `postgresql://host/lacuna`; empty: this"
        " machine runs no hub. The password is read from `~/.pgpass`.",
    )

    @field_validator("url")
    @classmethod
    def _is_secret_on_the_way(cls, url: str) -> str:
        if not url:
            return url
        if not is_origin(url):
            raise ValueError("must be an address such as https://hub.example.org")
        if not is_secure(url):
            raise ValueError("must begin with https://, except on this machine")
        return url.rstrip("/")

    @field_validator("folders")
    @classmethod
    def _are_in_the_vault(cls, folders: tuple[str, ...]) -> tuple[str, ...]:
        cleaned = tuple(each.strip().strip("/") or "." for each in folders)
        if any(".." in each.split("/") for each in cleaned):
            raise ValueError("must be folders of the vault")
        return cleaned

    @model_validator(mode="after")
    def _has_a_name(self) -> "HubSettings":
        if self.url and not self.vault:
            raise ValueError("hub.vault: the vault's name on the hub is missing")
        return self

    @field_validator("database")
    @classmethod
    def _has_no_password(cls, database: str) -> str:
        try:
            password = urlsplit(database).password
        except ValueError:
            raise ValueError("the database must be a URL: postgresql://host/name") from None
        if password:
            raise ValueError("put the password into ~/.pgpass, not into the settings")
        return database
