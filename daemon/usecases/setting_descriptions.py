"""Every setting with its meaning, its value, its default and where the value is from."""

from pydantic import BaseModel, Field, JsonValue
from pydantic_core import PydanticUndefined

from daemon.config import KEYS, is_on_page
from daemon.usecases.document import Document, ListDocument
from daemon.usecases.place import Place
from daemon.usecases.settings import settings


class DescribedSetting(Document):
    """One setting of a vault."""

    name: str = Field(description="Its name.", examples=["agenda.veto_hours"])
    meaning: str = Field(description="What it does.")
    value: JsonValue = Field(description="The value in effect.")
    default: JsonValue = Field(description="The value without an entry.")
    source: str = Field(alias="from", description='A file, the environment, or "default".')
    is_protected: bool = Field(description="Whether it can only be changed on the command line.")


class DescribedSettings(ListDocument[DescribedSetting]):
    """Every setting, in the order of the reference."""


def described_settings(place: Place) -> DescribedSettings:
    """Describe every setting. Raises SettingsError for a mistake in the file."""
    found = settings(place).settings
    return DescribedSettings.model_validate(
        [
            {
                "name": name,
                "meaning": KEYS[name].description or "",
                "value": setting.value,
                "default": _default(name),
                "from": setting.source,
                "is_protected": is_protected(name),
            }
            for name, setting in found.items()
        ]
    )


def is_protected(name: str) -> bool:
    """Return whether a setting can only be changed on the command line."""
    return name not in KEYS or not is_on_page(KEYS[name])


def _default(name: str) -> JsonValue:
    found = KEYS[name].get_default(call_default_factory=True)
    if found is PydanticUndefined or isinstance(found, BaseModel):
        return None
    return list(found) if isinstance(found, tuple | frozenset | set) else _plain(found)


def _plain(value: object) -> JsonValue:
    if value is None or isinstance(value, str | int | float | bool | dict):
        return value
    return str(value)
