"""A note's frontmatter: YAML as Obsidian reads it, or TOML as Hugo does; links, tags, aliases."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from frontmatter.default_handlers import BaseHandler, YAMLHandler

from vault_adapters.inline import is_tag
from vault_adapters.linktext import whole_wikilink
from vault_adapters.note import Link, LinkKind, Tag
from vault_adapters.toml_core import load_toml
from vault_adapters.yaml_core import load_yaml

_TAGS = re.compile(r"(?i:tags)|tag")
_ALIASES = re.compile(r"(?i:aliases)|alias")


@dataclass(frozen=True, slots=True)
class Properties:
    """The content of a note's frontmatter. `body_line` is the line on which the body begins.

    `is_toml` is true between `+++`, which Obsidian takes for a part of the body.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    body: str = ""
    body_line: int = 0
    trouble: str = ""
    is_toml: bool = False


def read_properties(text: str) -> Properties:
    """Split the frontmatter off `text` and read it; no content is an error.

    Frontmatter begins with `---` on the first line and ends with `---` on a line; if it never ends,
    there is none and all of it is body. Invalid YAML gives no values, and a message in `trouble`.
    Between `+++` it is TOML; invalid TOML stays part of the body.
    """
    if _TOML.detect(text):
        return _read_toml(text)
    if not _HANDLER.detect(text):
        return Properties(body=text)
    try:
        source, body = _HANDLER.split(text)
    except ValueError:
        return Properties(body=text)
    values, trouble = _read(source)
    # The body begins on the line after the closing fence, whose line end is still before it.
    return Properties(values, source, body.removeprefix("\n"), source.count("\n") + 1, trouble)


def property_links(properties: Properties) -> Iterator[Link]:
    """Yield the links in properties: values that are exactly one wikilink."""
    if "[[" not in properties.source:
        return
    at = line = 0
    for key, value in _strings(properties.values, ""):
        parts = whole_wikilink(value)
        if parts is not None:
            found = properties.source.find(value.strip(), at)
            if found >= 0:  # escaped or folded in YAML: use the position of the previous one
                line += properties.source.count("\n", at, found)
                at = found
            yield Link(*parts, kind=LinkKind.FRONTMATTER, line=line, key=key)


def property_tags(values: Mapping[str, Any]) -> Iterator[Tag]:
    """Yield the tags of `tags` (or the older `tag`); a text with a space in it is not a tag."""
    for text in _texts(values, _TAGS):
        name = text.removeprefix("#")
        if is_tag(name):
            yield Tag(f"#{name}", line=0)


def property_aliases(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the other names of `aliases` (or the older `alias`); one text is one name."""
    return tuple(dict.fromkeys(_texts(values, _ALIASES)))


def _texts(values: Mapping[str, Any], key: re.Pattern[str]) -> Iterator[str]:
    for name, value in values.items():
        if name[:1] in "aAtT" and key.fullmatch(name):
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str) and item.strip():
                    yield item.strip()


def _strings(value: object, key: str) -> Iterator[tuple[str, str]]:
    """Yield every text in `value` with its dotted path of keys."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _strings(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _strings(inner, f"{key}.{index}")


def _read(source: str) -> tuple[dict[str, Any], str]:
    try:
        values, strange = _HANDLER.load(source)
    except yaml.YAMLError as error:
        return {}, f"invalid YAML: {_explain(error)}"
    if values is None:
        return {}, ""
    if not isinstance(values, dict):
        kind = "list" if isinstance(values, list) else "text"
        return {}, f"the frontmatter is a {kind}, not properties"
    return values, "; ".join(strange[:3])


def _read_toml(text: str) -> Properties:
    try:
        source, body = _TOML.split(text)
    except ValueError:  # it never ends
        return Properties(body=text)
    try:
        values = load_toml(source)
    except ValueError as error:
        return Properties(body=text, trouble=f"invalid TOML: {error}".splitlines()[0][:300])
    body_line = source.count("\n") + 1
    return Properties(values, body=body.removeprefix("\n"), body_line=body_line, is_toml=True)


def _explain(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    line = f"line {mark.line + 1}: " if mark is not None else ""
    return f"{line}{problem}".splitlines()[0]


class _Handler(YAMLHandler):
    """The fences of Obsidian: exactly three dashes, followed only by spaces."""

    FM_BOUNDARY = re.compile(r"^---[ \t]*$", re.MULTILINE)

    def load(self, fm: str, **kwargs: object) -> Any:
        """Return the values and a list of irregularities. Raises YAMLError."""
        return load_yaml(fm)


class _TomlHandler(BaseHandler):
    """The fences of Hugo and Zola; the library's own handler needs another parser."""

    FM_BOUNDARY = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)


_HANDLER = _Handler()
_TOML = _TomlHandler()
