"""The registry of sources: our file, with the user's merged over it key by key."""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from daemon.adapters.sources.entry import Cost, Entry, Rate
from daemon.model.errors import SourceError, UnknownSourceError
from daemon.model.must_be import must_be
from daemon.model.sources import Profile

__all__ = [
    "Cost",
    "Entry",
    "Rate",
    "Registry",
    "check_names",
    "key_names",
    "profiles",
    "read_registry",
    "unknown",
]

OURS = "sources.yaml"
# Five times as fast, if libyaml is available.
_Loader: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Registry = Mapping[str, Entry]
_OWN = {"enabled", "opt_in", "base_url", "description", "note"}  # not inherited by a new entry
_TYPES = ("internal", "library", "api", "feed", "json", "mcp")
_KINDS = {
    "string_type": "text",
    "tuple_type": "a list such as [one, another]",
    "dict_type": "names with values below them, such as {NAME: value}",
    "model_type": "names with values below them, such as {per_second: 1}",
    "model_attributes_type": "names with values below them, such as {per_second: 1}",
}
_NAME = re.compile(r"\w[\w.-]{0,59}")


def read_registry(adapters: Collection[str], users: Path | None = None) -> dict[str, Entry]:
    """Read our sources merged with the user's. The user's file may be missing.

    A new entry names its `adapter`, one of `adapters`, and inherits that one's settings. Raises
    SourceError that names the file, the entry and the key.
    """
    ours = _ours()
    merged: dict[str, dict[str, Any]] = {
        name: {"adapter": name, **entry} for name, entry in ours.items()
    }
    place = str(users)
    for name, entry in _user_entries(users).items():
        if name not in merged:
            merged[name] = _with_defaults(name, entry, ours, adapters, place)
        for key, value in entry.items():
            both = isinstance(value, dict) and isinstance(merged[name].get(key), dict)
            merged[name][key] = {**merged[name][key], **value} if both else value
        if entry.get("enabled") is True and "opt_in" not in entry:
            merged[name]["opt_in"] = False  # to turn it on is to opt in
    for name, values in merged.items():
        if values["adapter"] not in ours and values["adapter"] not in adapters:
            raise SourceError(f"{place}: {name}: {_no_adapter(values['adapter'], adapters)}")
        spoken = ours.get(values["adapter"], {}).get("type")
        if spoken and values.get("type") in _TYPES and values["type"] != spoken:
            why = f"type: must be {spoken}, the only type of its adapter {values['adapter']}"
            raise SourceError(f"{place}: {name}: {why}")
    return {name: _entry(name, values, place) for name, values in merged.items()}


@cache
def _ours() -> Mapping[str, Mapping[str, Any]]:
    """Return our own entries. They are shared: do not change them."""
    return _read(files(__package__).joinpath(OURS).read_text("utf-8"), OURS)


def _with_defaults(
    name: str,
    entry: Mapping[str, Any],
    ours: Mapping[str, Mapping[str, Any]],
    adapters: Collection[str],
    place: str,
) -> dict[str, Any]:
    """Start a new entry with the settings of its adapter's own entry."""
    if not _NAME.fullmatch(name):
        raise SourceError(f"{place}: {name}: a name may contain letters, digits, -, _ and dots")
    kind = entry.get("type")
    adapter = entry.get("adapter") or kind
    if not isinstance(adapter, str) or (adapter not in ours and "adapter" not in entry):
        if kind is None:
            raise SourceError(f"{place}: {unknown(name, ours)}, or give the new source its type")
        if kind not in _TYPES:
            raise SourceError(f"{place}: {name}: type: must be one of {', '.join(_TYPES)}")
        speak = ", ".join(
            each for each in sorted(adapters) if ours.get(each, {}).get("type") == kind
        )
        raise SourceError(
            f"{place}: {name}: adapter is missing: which adapter connects to this {kind} source? "
            f"Available: {speak}"
        )
    base = ours.get(adapter, {})
    return {"adapter": adapter, **{key: base[key] for key in base if key not in _OWN}}


def _no_adapter(name: object, adapters: Collection[str]) -> str:
    similar = get_close_matches(str(name), adapters, n=1)
    hint = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(sorted(adapters))}"
    return f"adapter: {name} does not exist; {hint}"


def unknown(name: str, known: Mapping[str, object]) -> str:
    """Return that there is no such source, and which one may have been meant."""
    similar = get_close_matches(name, known, n=1)
    hint = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(sorted(known))}"
    return f"unknown source {name}: {hint}"


def check_names(names: tuple[str, ...], registry: Registry) -> None:
    """Raises UnknownSourceError, with a suggestion, for a name that is not a source's."""
    for name in names:
        if name not in registry:
            raise UnknownSourceError(unknown(name, registry))


def profiles(registry: Registry) -> dict[str, Profile]:
    """Return what a plan needs to know about each source, by name."""
    ranks = ("low", "medium", "high")
    return {
        name: Profile(
            name,
            entry.source_type,
            ranks.index(entry.authority),
            entry.good_for,
            is_always_asked=entry.always_available,
            domains=entry.domains,
        )
        for name, entry in registry.items()
    }


def key_names(registry: Registry) -> list[str]:
    """Return the names of all keys that sources may use, in order."""
    return sorted({name for entry in registry.values() for name in entry.keys})


def _user_entries(path: Path | None) -> dict[str, dict[str, Any]]:
    if path is None or not path.exists():
        return {}
    try:
        return _read(path.read_text("utf-8"), str(path))
    except UnicodeDecodeError:
        raise SourceError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from None


def _read(text: str, place: str) -> dict[str, dict[str, Any]]:
    try:
        found = yaml.load(text, _Loader)  # noqa: S506 both are safe
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        # libyaml counts one line too many at the end of the file
        last = max(1, len(text.splitlines()))
        where = f" (line {min(mark.line + 1, last)})" if mark else ""
        raise SourceError(f"{place}: not valid YAML{where}") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        what = "begins with a dash" if isinstance(found, list) else "is not a mapping"
        raise SourceError(
            f"{place}: {what}: must be a mapping of names to settings, such as `arxiv: "
            "{enabled: false}`"
        )
    for name, entry in found.items():
        if not isinstance(entry, dict):
            raise SourceError(f"{place}: {name}: must be a mapping, such as `{{enabled: false}}`")
    return {str(name): entry for name, entry in found.items()}


def _entry(name: str, values: Mapping[str, Any], place: str) -> Entry:
    try:
        return Entry.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        if key == "base_url" and "url" in values:
            key = "url"  # as spelled there
        if first["type"] == "extra_forbidden":
            similar = (
                ["base_url"] if key == "url" else _nearest([str(each) for each in first["loc"]])
            )
            why = f"unknown setting {key}" + (f"; did you mean {similar[0]}?" if similar else "")
        else:
            why = f"{key}: {must_be(first, _KINDS)}" if key else must_be(first, _KINDS)
        raise SourceError(f"{place}: {name}: {why}") from None


def _nearest(place: list[str]) -> list[str]:
    """Return the setting that may have been meant, in the table of an entry where it was
    written.
    """
    *parents, last = place
    fields = Entry.model_fields
    for parent in parents:
        kind = fields[parent].annotation
        fields = kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else {}
    return [".".join([*parents, name]) for name in get_close_matches(last, fields, n=1)]
