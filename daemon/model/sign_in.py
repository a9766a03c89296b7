"""Who somebody is for a provider of single sign-on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody at a provider: `issuer` and `subject` never change and are never given again.

    `email` is "" unless the provider has verified it.
    """

    issuer: str
    subject: str
    email: str = ""
    groups: tuple[str, ...] = ()

    @property
    def domain(self) -> str:
        """The domain of the email address, or ""."""
        return self.email.rpartition("@")[2].lower()


@dataclass(frozen=True, slots=True)
class Admission:
    """Who may sign in, and for how long."""

    days: int  # for which a token is valid
    domains: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    create: bool = False

    def admits(self, identity: Identity) -> bool:
        """Return whether somebody is of an admitted domain and group."""
        is_of_domain = not self.domains or identity.domain in self.domains
        return is_of_domain and (not self.groups or bool({*self.groups} & {*identity.groups}))


@dataclass(frozen=True, slots=True)
class Begun:
    """What a login sends to the provider: the provider returns `state` and `nonce`."""

    state: str
    nonce: str
    verifier: str
