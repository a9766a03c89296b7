"""YAML with the types of the 1.2 core schema, safe against input that makes parsers hang or
crash.
"""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import yaml

from vault_adapters.yaml_lines import read_lines

# More or deeper values are not properties but an attack on the parser.
MAX_VALUES = 50_000
MAX_DEPTH = 100
_MAX_NUMBER_LENGTH = 100  # characters; 64 bits are 22 octal digits, and leading zeros are allowed

# Every level of nesting needs one of these.
_NESTING = re.compile(r"[\[{:?-]")


def load_yaml(source: str) -> tuple[Any, list[str]]:
    """Return the value and a list of irregularities; all of it can be JSON.

    Keys are texts, and so are `yes` and dates; the tag of a value (`!thing x`) is ignored. Of a
    repeated key the last value counts. Raises yaml.YAMLError.
    """
    if (values := read_lines(source, scalar)) is not None:
        return values, []
    _check_depth(source)
    loader = _Loader(source)
    try:
        node = loader.get_single_node()
        value = None if node is None else loader.make(node)
    finally:
        loader.dispose()
    if "*" in source and not _is_small(value):
        raise yaml.YAMLError("the values repeat each other without end")
    return value, loader.strange


def _check_depth(source: str) -> None:
    """Raise YAMLError if values are nested too deeply.

    libyaml builds them recursively in C, so that depth crashes the process, and takes quadratic
    time. Its stream of events does neither; it is used only if there are enough signs for that
    depth.
    """
    if len(_NESTING.findall(source)) <= MAX_DEPTH:
        return
    depth = 0
    for event in yaml.parse(source, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise yaml.YAMLError("the values are nested too deeply")


def _is_small(value: object) -> bool:
    """Return whether `value`, with every alias expanded, stays within bounds."""
    left = MAX_VALUES
    stack = [(value, 0)]
    while stack:
        inner, depth = stack.pop()
        left -= 1
        if left < 0 or depth > MAX_DEPTH:
            return False
        if isinstance(inner, dict):
            stack.extend((each, depth + 1) for each in inner.values())
        elif isinstance(inner, list):
            stack.extend((each, depth + 1) for each in inner)
    return True


class _Loader(yaml.CSafeLoader):
    """libyaml's parser with our own types."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.source = source
        self.strange: list[str] = []
        # Only an alias (`*name`) uses one value in two places, or in itself.
        aliased = partial(self.construct_object, deep=True)
        self.make: Callable[[yaml.Node], Any] = aliased if "*" in source else partial(_value, self)

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> Any:
        """Return a plain scalar the tag that it looks like."""
        if kind is not yaml.ScalarNode or not implicit[0]:
            return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        for tag, pattern in self.yaml_implicit_resolvers.get(value[:1], ()):
            if pattern.match(value):
                return tag
        return self.DEFAULT_SCALAR_TAG


def _value(loader: _Loader, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        text: str = node.value
        make = _SCALARS.get(node.tag)
        return make(text) if make is not None else text
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node)
    return [loader.make(inner) for inner in node.value]


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = _key(loader, key_node)
        if key in values:
            loader.strange.append(f"the property {key!r} is there twice")
        values[key] = loader.make(value_node)
    return values


def _key(loader: _Loader, node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):  # a template's `{{date}}` is a map in a map
        return loader.source[node.start_mark.index : node.end_mark.index][:200]
    value = _value(loader, node)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def scalar(text: str) -> Any:
    """Return the value of a text without quotes."""
    if (begun := _Loader.yaml_implicit_resolvers.get(text[:1])) is not None:
        for tag, pattern in begun:
            if pattern.match(text):
                return _SCALARS[tag](text)
    return text


def _bool(text: str) -> bool | str:
    lower = text.lower()
    return lower == "true" if lower in ("true", "false") else text


def _int(text: str) -> int | str:
    """Return a number that fits into 64 bits; a longer one stays a text.

    Python refuses to convert more than 4,300 digits to decimal.
    """
    if len(text) > _MAX_NUMBER_LENGTH:
        return text
    try:
        number = int(text, 0 if text.startswith(("0x", "0o")) else 10)
    except ValueError:  # not a number (`!!int x`)
        return text
    return number if -(2**63) <= number < 2**63 else text


def _float(text: str) -> float | str:
    try:
        number = float(text)
    except ValueError:
        return text
    # Values are stored as JSON, which has neither infinity nor NaN.
    return number if math.isfinite(number) else text


def _null(text: str) -> None:
    return None


_CORE = "tag:yaml.org,2002:"
_SCALARS = {
    f"{_CORE}bool": _bool,
    f"{_CORE}int": _int,
    f"{_CORE}float": _float,
    f"{_CORE}null": _null,
}
_IMPLICIT = (
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$",
        "-+.0123456789",
    ),
    ("null", r"(?:~|null|Null|NULL|)$", ("~", "n", "N", "")),
)
_Loader.yaml_implicit_resolvers = {}
_Loader.yaml_constructors = {None: _value}
_Loader.yaml_multi_constructors = {}
for _kind, _pattern, _first in _IMPLICIT:
    _Loader.add_implicit_resolver(_CORE + _kind, re.compile(_pattern), list(_first))
