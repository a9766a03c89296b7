"""Build the provider of single sign-on from the settings. Needs the extra `hub`."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from daemon.adapters.identity_provider import IdentityProvider
from daemon.adapters.secrets import open_secrets
from daemon.config import Settings, origin_text
from daemon.config.sign_in_section import SIGN_IN_KEY
from daemon.gates import gate
from daemon.model.sign_in import Admission

CALLBACK = "/hub/v1/login/callback"


def identity_provider(
    settings: Settings, folder: Path, now: Callable[[], datetime]
) -> IdentityProvider | None:
    """Return the provider in the settings, which is not asked yet; None if there is none.

    `folder` is where a file of keys is.
    """
    chosen = settings.sign_in
    if not chosen.issuer:
        return None
    secrets = open_secrets(settings.secrets.store, folder)
    return IdentityProvider(
        gate(settings, allow_origins=(origin_text(chosen.issuer),)),  # perhaps in the own network
        chosen.issuer,
        chosen.client_id,
        partial(secrets.get, SIGN_IN_KEY),
        f"{chosen.address}{CALLBACK}",
        chosen.groups_claim,
        now,
    )


def admission(settings: Settings) -> Admission:
    """Return who may sign in."""
    chosen = settings.sign_in
    return Admission(chosen.days, chosen.domains, chosen.groups, chosen.create)
