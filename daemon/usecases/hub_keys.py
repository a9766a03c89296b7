"""API keys of people and groups of a hub, for its operator. Needs the extra `hub`."""

from pydantic import Field

from daemon.config.hub_section import SEAL_KEY
from daemon.hub.members import Grantee
from daemon.hub.person_keys import PersonKeys
from daemon.keys import open_keys
from daemon.usecases.document import Document, ListDocument
from daemon.usecases.hub_operating import OPERATOR, HubChanged, current_hub
from daemon.usecases.place import Place


class HubKey(Document):
    """A key that workers use for the vaults of a person, or of the members of a group."""

    name: str = Field(description="Of the source or the model provider.", examples=["brave"])
    whose: str = Field(description="Name of the person or the group.", examples=["bakers"])
    is_group: bool = Field(description="Whether it is a group.", examples=[True])


class HubKeys(ListDocument[HubKey]):
    """The keys that are stored, without their values."""


def keys(place: Place) -> HubKeys:
    """Return what is stored. Raises HubError, SecretError."""
    with current_hub(place) as connection:
        found = PersonKeys(connection, _secret(place), OPERATOR).each()
    return HubKeys(tuple(HubKey.model_validate(each, from_attributes=True) for each in found))


def store_key(place: Place, key: HubKey, value: str) -> HubChanged:
    """Store a key of a person or a group. Raises HubError, SecretError."""
    with current_hub(place) as connection:
        whose = Grantee(key.whose, is_group=key.is_group)
        PersonKeys(connection, _secret(place), OPERATOR).put(key.name, whose, value)
    return HubChanged(done=f"key {key.name} of {key.whose} stored")


def delete_key(place: Place, key: HubKey) -> HubChanged:
    """Delete a key. Raises HubError, SecretError."""
    with current_hub(place) as connection:
        whose = Grantee(key.whose, is_group=key.is_group)
        was_there = PersonKeys(connection, _secret(place), OPERATOR).forget(key.name, whose)
    return HubChanged(done=f"{int(was_there)} deleted")


def _secret(place: Place) -> str | None:
    return open_keys(place.config).secrets.get(SEAL_KEY)
