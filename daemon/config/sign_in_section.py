"""Settings of a hub's single sign-on by OpenID Connect, on the machine that runs the hub."""

from pydantic import Field, field_validator, model_validator

from daemon.config.origins import is_secure
from daemon.config.section import Section

SIGN_IN_KEY = "sign_in"  # the name of the client's secret, among the keys


class SignInSettings(Section):
    """Single sign-on to a hub that this machine runs."""

    issuer: str = Field(
        default="",
        description="Address of the OpenID Connect provider, such as"
        " `https://login.example.org/realms/staff`; empty: people need a token of the operator.",
    )
    client_id: str = Field(
        default="",
        description="Id of the hub at the provider. If the provider gave a secret with it, that is"
        " the key `sign_in`.",
    )
    address: str = Field(
        default="",
        description="Address of the hub as browsers reach it. The provider has to know"
        " `ADDRESS/hub/v1/login/callback`.",
    )
    domains: tuple[str, ...] = Field(
        default=(), description="Domains of email addresses that are admitted; none: all."
    )
    groups: tuple[str, ...] = Field(
        default=(), description="Groups of the provider that are admitted; none: all."
    )
    groups_claim: str = Field(
        default="groups", description="Where the provider's tokens list somebody's groups."
    )
    create: bool = Field(
        default=False,
        description="Whether somebody who is admitted and has no account gets one, without rights."
        " Needs `domains` or `groups`.",
    )
    days: int = Field(
        default=30, ge=1, le=365, description="Days after which somebody has to sign in again."
    )

    @field_validator("issuer", "address")
    @classmethod
    def _is_secret_on_the_way(cls, url: str) -> str:
        if url and not is_secure(url):
            raise ValueError("must begin with https://, except on this machine")
        return url

    @field_validator("address")
    @classmethod
    def _has_no_path(cls, url: str) -> str:
        return url.rstrip("/")

    @field_validator("domains")
    @classmethod
    def _in_small_letters(cls, domains: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each.strip().removeprefix("@").lower() for each in domains)

    @model_validator(mode="after")
    def _is_whole(self) -> "SignInSettings":
        if self.issuer and not (self.client_id and self.address):
            raise ValueError("sign_in.issuer needs sign_in.client_id and sign_in.address")
        if self.create and not (self.domains or self.groups):
            raise ValueError("sign_in.create needs sign_in.domains or sign_in.groups")
        return self
