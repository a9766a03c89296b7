"""Keys written out in sources.yaml, where `{name}` should be used."""

import re
from typing import Any

import yaml

REDACTED = "(left out of the backup)"
_SECRET = re.compile(
    r"key|token|secret|pass(?:word|wd|phrase)|auth|credential|cookie|session", re.IGNORECASE
)
_NAMED = re.compile(r"\{[A-Za-z0-9_-]+\}")


def without_keys(data: bytes) -> tuple[bytes, list[str]]:
    """Return sources.yaml with written-out keys replaced, and their places (`papers.env.X`).

    A key is the value of an environment variable or a header with a name such as TOKEN, without a
    `{name}` in it. A file that is not YAML is replaced as a whole.
    """
    try:
        text = data.decode("utf-8")
        document = yaml.safe_load(text)
    except (UnicodeDecodeError, yaml.YAMLError):
        return b"", ["sources.yaml, which cannot be read,"]
    found = dict(_keys_in(document))
    for value in sorted(found.values(), key=len, reverse=True):
        text = text.replace(value, REDACTED)
    if found and set(dict(_keys_in(yaml.safe_load(text))).values()) != {REDACTED}:
        text = yaml.safe_dump(_replaced(document), allow_unicode=True, sort_keys=False)
    return text.encode(), list(found)


def _keys_in(document: Any) -> list[tuple[str, str]]:
    if not isinstance(document, dict):
        return []
    return [
        (f"{name}.{table}.{key}", str(value))
        for name, entry in document.items()
        for table in ("env", "headers")
        for key, value in _mapping(_mapping(entry).get(table)).items()
        if _is_key(key, value)
    ]


def _replaced(document: Any) -> Any:
    return {
        name: {
            key: {each: REDACTED if _is_key(each, text) else text for each, text in value.items()}
            if key in ("env", "headers") and isinstance(value, dict)
            else value
            for key, value in entry.items()
        }
        if isinstance(entry, dict)
        else entry
        for name, entry in document.items()
    }


def _is_key(name: object, value: object) -> bool:
    text = str(value)
    return bool(_SECRET.search(str(name)) and text.strip() and not _NAMED.search(text))


def _mapping(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}
