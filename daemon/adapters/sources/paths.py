"""Read the value at a path in a service's answer: dotted names, JMESPath, or an address
with both.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import jmespath
from jmespath import functions
from jmespath.exceptions import JMESPathError
from jmespath.visitor import Options

if TYPE_CHECKING:  # only an expression needs the library
    from jmespath.parser import ParsedResult

_EXPRESSION = re.compile(r"[\[\]()|&!<>=*@'\"`,]")
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_FIELD = re.compile(r"\{([^{}]*)\}")
_IN_ADDRESS = "/:,;()"  # what an identifier may bring into an address as it is


def at(value: Any, path: str) -> Any:
    """Return what is at `path`; None when nothing is, or when its functions do not take it.

    `a.b.0` walks objects and lists; names are compared without case and signs. A path with
    brackets, `|` and the like is JMESPath, with `replace(text, old, new)` and `split(text, by)`.
    A path that begins as an address is one, with the values of the paths in its braces.
    """
    if _ADDRESS.match(path):
        return _address(value, path)
    if _EXPRESSION.search(path):
        return _searched(value, path)
    return _walked(value, path)


def fault(path: str) -> str:
    """Return what is wrong with a path, or ""."""
    parts = _FIELD.findall(path) if _ADDRESS.match(path) else [path]
    for part in parts:
        if _ADDRESS.match(path) and not part.strip():
            return "{} holds no path"
        if _EXPRESSION.search(part) and _compiled(part) is None:
            return f"{part} is not valid JMESPath"
    return ""


def bare(name: object) -> str:
    """Return a name as names are compared: letters and digits in lower case."""
    return "".join(each for each in str(name).casefold() if each.isalnum())


def _address(value: Any, path: str) -> str | None:
    """Fill an address; None unless every value of it is there."""
    filled = path
    for part in _FIELD.findall(path):
        found = at(value, part)
        if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
            return None
        filled = filled.replace(f"{{{part}}}", quote(str(found), safe=_IN_ADDRESS), 1)
    return filled


def _walked(value: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(value, dict):
            named = {bare(name): each for name, each in value.items()}
            value = value.get(step, named.get(bare(step)))
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _searched(value: Any, expression: str) -> Any:
    compiled = _compiled(expression)
    if compiled is None:
        return None
    try:
        return compiled.search(value, options=_options())
    except (JMESPathError, TypeError, ValueError, OverflowError, RecursionError):
        return None  # a function was given what it does not take: as good as nothing there


@cache
def _compiled(expression: str) -> "ParsedResult | None":
    try:
        return jmespath.compile(expression)
    except JMESPathError:
        return None


@cache
def _options() -> "Options":
    class Texts(functions.Functions):
        """Two functions of the JMESPath community's proposal 14, which its library lacks."""

        @functions.signature({"types": ["string"]}, {"types": ["string"]}, {"types": ["string"]})
        def _func_replace(self, text: str, old: str, new: str) -> str:
            return text.replace(old, new)

        @functions.signature({"types": ["string"]}, {"types": ["string"]})
        def _func_split(self, text: str, by: str) -> list[str]:
            return text.split(by) if by else list(text)

    return Options(custom_functions=Texts())
