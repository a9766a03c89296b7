"""The landscape as YAML, for programs: a list of entities with where each was met. Pure.

Entries and places are only ever inserted: comments, changes and the order of entries stay.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import yaml

from daemon.model.landscape import Mention
from vault_adapters.inert import yaml_text

_HEAD = "# What reports and literature notes mention. Lacuna only adds to this file.\n"


def merged(text: str, mentions: Iterable[Mention]) -> str | None:
    """Add mentions to the text of the file, "" for a new one; None if it is no such list."""
    text = text or _HEAD
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    is_list = isinstance(root, yaml.SequenceNode) and not root.flow_style
    if root is not None and not is_list:
        return None
    known = {_key(node): node for node in (root.value if root is not None else ())}
    ordered = sorted(mentions, key=lambda each: each.entity.key)
    of = {key: list(each) for key, each in groupby(ordered, lambda each: each.entity.key)}
    inserts = [
        (at, added) for key in of if key in known for at, added in _more(known[key], of[key])
    ]
    for at, added in sorted(inserts, reverse=True):
        text = f"{text[:at]}{added}{text[at:]}"
    end = "" if text.endswith("\n") else "\n"
    return text + end + "".join(_entry(of[key]) for key in of if key not in known)


def _more(node: Any, mentions: Sequence[Mention]) -> Iterator[tuple[int, str]]:
    """Yield where to insert which places; none where the user made something else of the entry."""
    places = dict(_items(node)).get("met")
    if not isinstance(places, yaml.SequenceNode) or places.flow_style or not places.value:
        return
    there = [_values(each) for each in places.value]
    last = places.value[-1]
    indent = " " * max(last.start_mark.column - 2, 0)
    fresh = [_flow(each) for each in mentions if _place(each) not in there]
    if fresh:
        yield last.end_mark.index, "".join(f"\n{indent}- {each}" for each in dict.fromkeys(fresh))


def _entry(mentions: Sequence[Mention]) -> str:
    entity = mentions[0].entity
    about = f"  about: {yaml_text(entity.about)}\n" if entity.about else ""
    met = "".join(f"    - {each}\n" for each in dict.fromkeys(map(_flow, mentions)))
    return f"- kind: {entity.kind}\n  name: {yaml_text(entity.name)}\n{about}  met:\n{met}"


def _flow(mention: Mention) -> str:
    listed = ", ".join(f"{name}: {yaml_text(value)}" for name, value in _place(mention).items())
    return f"{{{listed}}}"


def _place(mention: Mention) -> dict[str, str]:
    found = {"note": mention.note, "run": mention.run, "source": mention.entity.source}
    return {name: value for name, value in found.items() if value}


def _key(node: Any) -> tuple[str, str]:
    values = _values(node)
    return values.get("kind", ""), " ".join(values.get("name", "").split()).casefold()


def _values(node: Any) -> dict[str, str]:
    """Return the plain values of a mapping."""
    return {name: each.value for name, each in _items(node) if isinstance(each, yaml.ScalarNode)}


def _items(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield str(name.value), value
