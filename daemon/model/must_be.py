"""What a value must be, in a user's terms instead of pydantic's."""

from collections.abc import Mapping

from pydantic_core import ErrorDetails

_KINDS = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a number",
    "string_type": "text in quotes",
    "path_type": "a path in quotes",
    "tuple_type": 'a list, such as ["Templates"]',
}
_BOUNDS = {
    "greater_than": "more than",
    "greater_than_equal": "at least",
    "less_than": "less than",
    "less_than_equal": "at most",
}


def must_be(error: ErrorDetails, kinds: Mapping[str, str] | None = None) -> str:
    """Return `must be …`; `kinds` maps pydantic's names to what only the caller can describe."""
    kind, context = error["type"], error.get("ctx", {})
    described = {**_KINDS, **(kinds or {})}
    if kind in ("literal_error", "enum"):
        return f"must be {context['expected']}"
    if kind in described:
        return f"must be {described[kind]}"
    if kind in _BOUNDS:
        return f"must be {_BOUNDS[kind]} {next(iter(context.values()))}"
    return error["msg"].removeprefix("Value error, ")
