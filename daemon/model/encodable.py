"""Text without lone surrogates, which no file, database or JSON text accepts.

They come from names of files that are not UTF-8, and from escapes such as `\\ud800` in JSON.
"""

from typing import Any

from pydantic_core import PydanticSerializationError, to_json


def is_encodable(text: str) -> bool:
    """Return whether UTF-8 can encode a text."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def encodable(text: str) -> str:
    """Return a text with its lone surrogates as escapes: `caf\\udce9.md` has a backslash then."""
    return text if is_encodable(text) else text.encode("utf-8", "backslashreplace").decode()


def encodable_values(values: Any) -> Any:
    """Return JSON values with each text and key as `encodable` does; mostly the values as given."""
    try:
        to_json(values)
    except PydanticSerializationError:
        return _escaped(values)
    return values


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(item) for item in value]
    return value
