"""Read the result of an analysis from text. The process that analyses does not load this."""

from functools import cache

from pydantic import TypeAdapter, ValidationError

from daemon.analysis.health import Health


def health_from_json(text: str) -> Health | None:
    """Return the input of `health_to_json`, or None if the text is incomplete."""
    try:
        return _adapter().validate_json(text)
    except ValidationError:
        return None


@cache
def _adapter() -> TypeAdapter[Health]:
    return TypeAdapter(Health)
