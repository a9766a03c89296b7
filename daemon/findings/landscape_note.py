"""The note of the landscape: people, organisations, works and terms. Pure.

A new entity becomes a line in its section; to the line of a known one only a link is added.
"""

import re
from collections.abc import Iterable
from datetime import datetime, tzinfo

from daemon.findings.safe_links import outside_link
from daemon.model.landscape import Entity, EntityKind, Mention
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line
from vault_adapters.wikilink import Linker

LANDSCAPE = "landscape"  # its type and lacuna_id
_SECTIONS = {
    EntityKind.PERSON: "People",
    EntityKind.ORGANISATION: "Organisations",
    EntityKind.WORK: "Works",
    EntityKind.TERM: "Terms",
}
_INTRODUCTION = (
    "What reports and literature notes mention: people, organisations and works. Lacuna adds lines,"
    " and links to lines; everything else is yours to change."
)


def empty_landscape(created_at: datetime, tz: tzinfo) -> str:
    """Return the note without any entity."""
    head = [
        "---",
        f"type: {LANDSCAPE}",
        f"lacuna_id: {LANDSCAPE}",
        f"created: {stamp(created_at, tz)}",
        "---",
        "# Landscape",
        "",
        _INTRODUCTION,
        "",
    ]
    return "\n".join(head)


def with_mentions(text: str, mentions: Iterable[Mention], link: Linker) -> str:
    """Add entities and links to a note; no other byte changes."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    for each in mentions:
        _add(lines, each.entity, link(each.note))
    return newline.join(lines) + newline


def _add(lines: list[str], entity: Entity, where: str) -> None:
    heading = f"## {_SECTIONS[entity.kind]}"
    name = f"**{_named(entity)}**"
    start = next((at for at, line in enumerate(lines) if line.rstrip() == heading), None)
    if start is None:
        gap = [""] if lines and lines[-1].strip() else []
        lines += [*gap, heading, "", _line(entity, name, where)]
        return
    end = next(
        (at for at in range(start + 1, len(lines)) if re.match(r"#{1,2} ", lines[at])), len(lines)
    )
    known = next((at for at in range(start, end) if lines[at].startswith(f"- {name}")), None)
    if known is not None:
        if where not in lines[known]:
            lines[known] = f"{lines[known].rstrip()}, {where}"
        return
    items = [at for at in range(start, end) if lines[at].startswith("- ")]
    lines.insert(items[-1] + 1 if items else min(start + 2, len(lines)), _line(entity, name, where))


def _line(entity: Entity, name: str, where: str) -> str:
    about = f": {inert_line(entity.about)}" if entity.about else ""
    return f"- {name}{about} — {where}"


def _named(entity: Entity) -> str:
    if entity.kind is EntityKind.WORK:
        return outside_link(entity.name, entity.source)
    return inert_line(entity.name)
