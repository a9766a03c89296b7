"""Names of settings: `section.key` for a key in a section, `vault` for one above all sections."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic.fields import FieldInfo

from daemon.config.section import Section
from daemon.config.table import Settings

ENVIRONMENT_PREFIX = "LACUNA_"
# Relative paths in the settings file start at the file's folder.
PATHS = (
    "vault",
    "state",
    "library.folder",
    "library.extra",
    "embedding.model_path",
    "research.retraction_watch",
)


def section_of(info: FieldInfo) -> type[Section] | None:
    """Return the section that a field of `Settings` holds, or None for a plain setting."""
    kind = info.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


SECTIONS: Mapping[str, type[Section]] = {
    name: section
    for name, info in Settings.model_fields.items()
    if (section := section_of(info)) is not None
}


def _keys() -> Iterator[tuple[str, FieldInfo]]:
    for name, info in Settings.model_fields.items():
        section = section_of(info)
        if section is None:
            yield name, info
        else:
            yield from ((f"{name}.{key}", each) for key, each in section.model_fields.items())


KEYS: Mapping[str, FieldInfo] = dict(_keys())


def value_of(settings: Settings, key: str) -> Any:
    """Return the value of a setting by its name."""
    value: Any = settings
    for part in key.split("."):
        value = getattr(value, part)
    return value


def variable(key: str) -> str:
    """Return the name of a setting's environment variable."""
    return ENVIRONMENT_PREFIX + key.replace(".", "_").upper()


def flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return name → value of what a table of settings holds; other tables stay one value."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key in SECTIONS and isinstance(value, Mapping):
            found |= {f"{key}.{name}": each for name, each in value.items()}
        else:
            found[key] = value
    return found


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables that hold these settings: the reverse of `flat`."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        (found.setdefault(section, {}) if section else found)[name] = value
    return found


def with_values(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Return settings with valid values, by name, in place of others."""
    changed: dict[str, Any] = {}
    for name, value in nested(values).items():
        before = getattr(settings, name)
        is_section = isinstance(before, Section)
        changed[name] = before.model_copy(update=value) if is_section else value
    return settings.model_copy(update=changed)


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Return settings of name → value; all others have their defaults. Raises ValidationError."""
    return Settings.model_validate({name: {} for name in SECTIONS} | nested(values))
