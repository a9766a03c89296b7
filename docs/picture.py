"""The picture of the layers in docs/architecture.md, drawn from the imports of the code."""

import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("daemon", "vault_adapters", "scheduler")
_WIDTH, _BOX_HEIGHT, _LAYER_HEIGHT, _MARGIN = 1180, 34, 74, 16  # pixels
_LETTER = 7.4  # pixels of one letter

Layers = list[list[str]]


@dataclass(frozen=True, slots=True)
class _Box:
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def layers_of(pyproject: str) -> Layers:
    """Return the packages of each layer, top down, as the import contracts have them."""
    contracts = tomllib.loads(pyproject)["tool"]["importlinter"]["contracts"]
    layers = {
        each.get("containers", [""])[0]: each["layers"]
        for each in contracts
        if each["type"] == "layers"
    }
    return [
        [package.strip() for package in layer.split("|")]
        for layer in [*layers["daemon"], *layers[""][1:]]
    ]


def imports(layers: Layers) -> dict[str, set[str]]:
    """Return what each package imports, without what one of its imports imports anyway."""
    graph = grimp.build_graph(*PACKAGES)
    package_of = {
        module: package
        for module in graph.modules
        for layer in layers
        for package in layer
        if module.removeprefix("daemon.") == package
        or module.removeprefix("daemon.").startswith(f"{package}.")
    }
    found: dict[str, set[str]] = {package: set() for layer in layers for package in layer}
    for module, package in package_of.items():
        for other in graph.find_modules_directly_imported_by(module):
            if package_of.get(other, package) != package:
                found[package].add(package_of[other])
    below = {package: _reached(package, found) for package in found}
    return {
        package: {each for each in near if not any(each in below[other] for other in near - {each})}
        for package, near in found.items()
    }


def svg() -> str:
    """Draw the layers, the packages in them, and what imports what."""
    layers = layers_of((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    boxes = {
        package: box for number, layer in enumerate(layers) for package, box in _row(layer, number)
    }
    height = len(layers) * _LAYER_HEIGHT + _MARGIN
    lines = [
        _line(boxes[package], boxes[other])
        for package, near in sorted(imports(layers).items())
        for other in sorted(near)
    ]
    drawn = [_package(package, box) for package, box in boxes.items()]
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


def _package(package: str, box: _Box) -> str:
    place = f'x="{box.x:.0f}" y="{box.y}" width="{box.width:.0f}" height="{_BOX_HEIGHT}"'
    name = f'<text fill="#123" stroke="none" x="{box.middle:.0f}" y="{box.y + 22}">'
    return f'<rect {place} rx="5"/>{name}{escape(package)}</text>'


def _reached(package: str, imported: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    left = [package]
    while left:
        for each in imported[left.pop()] - seen:
            seen.add(each)
            left.append(each)
    return seen


def _row(layer: list[str], number: int) -> list[tuple[str, _Box]]:
    widths = [len(package) * _LETTER + 22 for package in layer]
    gap = min(90.0, (_WIDTH - 2 * _MARGIN - sum(widths)) / max(len(layer), 1))
    x = (_WIDTH - sum(widths) - gap * (len(layer) - 1)) / 2
    row = []
    for package, width in zip(layer, widths, strict=True):
        row.append((package, _Box(x, _MARGIN + number * _LAYER_HEIGHT, width)))
        x += width + gap
    return row
