"""A machine's note in the inbox: written by that machine alone, read by all others. Pure."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from daemon.model.machine import MAX_TERM, Claim, Machine
from vault_adapters.edit import read_stamp, set_property, stamp
from vault_adapters.inert import inert_line, yaml_text

FOLDER = "Machines"
KIND = "machine"
_MAX_NAME_LENGTH = 60

_TEXT = """\
Lacuna runs on this machine. When several machines share a vault, one of them leads: it researches
what your notes and your schedules ask for. The others index and apply your decisions.

Another machine takes the lead after a day without a heartbeat, or at once with `lacuna lead`.
To remove this machine, delete this note.
"""


def machine_text(machine: Machine, *, seen_at: datetime, tz: tzinfo = UTC) -> str:
    """Return the note of a machine. `seen_at` is for people: machines compare no clocks."""
    properties = _properties(machine, seen_at, tz)
    lines = [f"{key}: {value}" for key, value in properties.items()]
    head = [f"type: {KIND}", f"lacuna_id: {yaml_text(machine.id)}", *lines]
    return "\n".join(["---", *head, "---", f"# {inert_line(machine.name)}", "", _TEXT])


def rewrite_machine(text: str, machine: Machine, *, seen_at: datetime, tz: tzinfo = UTC) -> str:
    """Update the properties of a machine's note; every other byte stays."""
    for key, value in _properties(machine, seen_at, tz).items():
        text = set_property(text, key, value)
    return text


def read_machine(properties: Mapping[str, Any]) -> Machine | None:
    """Return the machine in a note's properties, or None if there is none."""
    id_, beat, term = (properties.get(key) for key in ("lacuna_id", "beat", "term"))
    if properties.get("type") != KIND or not isinstance(id_, str):
        return None
    if not (_is_count(beat) and _is_term(term)):
        return None
    name = " ".join(str(properties.get("machine") or id_).split())[:_MAX_NAME_LENGTH]
    served = frozenset(str(properties.get("served") or "").split())
    return Machine(id_, name, int(beat or 0), int(term or 0), dict(_last_runs(properties)), served)


def read_claim(properties: Mapping[str, Any], tz: tzinfo = UTC) -> Claim | None:
    """Return the claim in an agenda's properties, or None if there is none."""
    id_, machine, term = (properties.get(key) for key in ("lacuna_id", "machine", "term"))
    if properties.get("type") != "agenda" or not (id_ and machine and _is_term(term)):
        return None
    return Claim(
        agenda=str(id_),
        machine=str(machine),
        term=int(term or 0),
        key=str(properties.get("claim") or ""),
        schedule=str(properties.get("schedule") or ""),
        status=str(properties.get("status") or "").strip().casefold(),
        created_at=read_stamp(properties.get("created"), tz),
    )


def _properties(machine: Machine, seen_at: datetime, tz: tzinfo) -> dict[str, str]:
    ran = "; ".join(f"{name} {at.isoformat()}" for name, at in sorted(machine.ran.items()))
    return {
        "machine": yaml_text(machine.name),
        "seen": stamp(seen_at, tz),
        "beat": str(machine.beat),
        "term": str(machine.term),
        "ran": yaml_text(ran),
        "served": yaml_text(" ".join(sorted(machine.served))),
    }


def _last_runs(properties: Mapping[str, Any]) -> Iterator[tuple[str, datetime]]:
    for each in str(properties.get("ran") or "").split(";"):
        name, _, at = each.strip().rpartition(" ")
        try:
            moment = datetime.fromisoformat(at)
        except ValueError:
            continue
        if name and moment.tzinfo is not None:
            yield name, moment


def _is_term(value: object) -> bool:
    return _is_count(value) and int(str(value)) <= MAX_TERM


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
