"""The picture of the layers in docs/architecture.md, drawn from the imports of the code."""

import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("daemon", "vault_adapters", "scheduler")
_WIDTH, _BOX_HEIGHT, _FLOOR_HEIGHT, _MARGIN = 1180, 34, 74, 16  # pixels
_LETTER = 7.4  # pixels of one letter

Floors = list[list[str]]


@dataclass(frozen=True, slots=True)
class _Box:
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def floors(pyproject: str) -> Floors:
    """Return the rooms of each floor, top down, as the import contracts have them."""
    contracts = tomllib.loads(pyproject)["tool"]["importlinter"]["contracts"]
    layers = {
        each.get("containers", [""])[0]: each["layers"]
        for each in contracts
        if each["type"] == "layers"
    }
    return [
        [room.strip() for room in layer.split("|")]
        for layer in [*layers["daemon"], *layers[""][1:]]
    ]


def imports(rooms: Floors) -> dict[str, set[str]]:
    """Return which rooms each room imports, without those that one of these imports anyway."""
    graph = grimp.build_graph(*PACKAGES)
    room_of = {
        module: room
        for module in graph.modules
        for floor in rooms
        for room in floor
        if module.removeprefix("daemon.") == room
        or module.removeprefix("daemon.").startswith(f"{room}.")
    }
    found: dict[str, set[str]] = {room: set() for floor in rooms for room in floor}
    for module, room in room_of.items():
        for other in graph.find_modules_directly_imported_by(module):
            if room_of.get(other, room) != room:
                found[room].add(room_of[other])
    below = {room: _reached(room, found) for room in found}
    return {
        room: {each for each in near if not any(each in below[other] for other in near - {each})}
        for room, near in found.items()
    }


def svg() -> str:
    """Draw the floors, the rooms on them, and who imports whom."""
    rooms = floors((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    boxes = {room: box for number, floor in enumerate(rooms) for room, box in _row(floor, number)}
    height = len(rooms) * _FLOOR_HEIGHT + _MARGIN
    lines = [
        _line(boxes[room], boxes[other])
        for room, near in sorted(imports(rooms).items())
        for other in sorted(near)
    ]
    drawn = [_room(room, box) for room, box in boxes.items()]
    font = 'font-family="sans-serif" font-size="13" text-anchor="middle"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {font}>',
            f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
            '<g stroke="#9ab" stroke-width="1">',
            *lines,
            '</g><g fill="#eef3f8" stroke="#567">',
            *drawn,
            "</g></svg>\n",
        ]
    )


def _line(upper: _Box, lower: _Box) -> str:
    begin, end = f'x1="{upper.middle:.0f}" y1="{upper.y + _BOX_HEIGHT}"', f'y2="{lower.y}"'
    return f'<line {begin} x2="{lower.middle:.0f}" {end}/>'


def _room(room: str, box: _Box) -> str:
    place = f'x="{box.x:.0f}" y="{box.y}" width="{box.width:.0f}" height="{_BOX_HEIGHT}"'
    name = f'<text fill="#123" stroke="none" x="{box.middle:.0f}" y="{box.y + 22}">'
    return f'<rect {place} rx="5"/>{name}{escape(room)}</text>'


def _reached(room: str, imported: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    left = [room]
    while left:
        for each in imported[left.pop()] - seen:
            seen.add(each)
            left.append(each)
    return seen


def _row(floor: list[str], number: int) -> list[tuple[str, _Box]]:
    widths = [len(room) * _LETTER + 22 for room in floor]
    gap = min(90.0, (_WIDTH - 2 * _MARGIN - sum(widths)) / max(len(floor), 1))
    x = (_WIDTH - sum(widths) - gap * (len(floor) - 1)) / 2
    row = []
    for room, width in zip(floor, widths, strict=True):
        row.append((room, _Box(x, _MARGIN + number * _FLOOR_HEIGHT, width)))
        x += width + gap
    return row
