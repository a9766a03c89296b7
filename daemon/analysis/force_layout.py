"""Where to draw the notes of a graph: a force-directed layout in time linear in notes and links.

The forces are those of ForceAtlas2 (Jacomy et al. 2014). Repulsion between all pairs is a sum over
a grid, by one convolution per step, as in the Barnes-Hut step of FIt-SNE (Linderman et al. 2019).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

EXTENT = 10_000  # positions are integers from -EXTENT to EXTENT
_GOLDEN_ANGLE = np.pi * (3 - 5**0.5)
_STEPS = 120
_FINE_STEPS = 20  # the last ones, on a grid with half the distance
_COARSE = (32, 256)  # cells along an edge of the grid, at least and at most
_REPULSION, _GRAVITY = 2.0, 0.3  # the latter falls with the root of the number of notes
_TOLERANCE = 0.5  # share of its force by which a note may swing
_MAX_RISE = 1.5  # of the speed from one step to the next
_RING = 1.12  # radius of the notes without links, where the others end at 1


def layout(edges: Ints, groups: Sequence[int]) -> Ints:
    """Return a position for each node, `(n, 2)`; the same for the same input.

    `edges` are pairs of nodes, `(m, 2)`. `groups` has the group of each node, -1 for none: nodes of
    a group start near each other. Nodes without an edge are placed around all others.
    """
    count = len(groups)
    degrees = np.bincount(edges.ravel(), minlength=count)
    linked = np.flatnonzero(degrees)
    where = np.zeros((count, 2))
    if len(linked):
        places = np.full(count, -1)
        places[linked] = np.arange(len(linked))
        start = _start(np.asarray(groups, np.int64)[linked])
        moved = _moved(start, places[edges], degrees[linked].astype(np.float64) + 1.0)
        where[linked] = _scaled(_apart(_scaled(moved)))
    alone = np.flatnonzero(degrees == 0)
    where[alone] = _around(len(alone), has_centre=bool(len(linked)))
    furthest = max(np.abs(where).max(initial=0.0), 1e-9)
    found: Ints = np.rint(where * (EXTENT / furthest)).astype(np.int64)
    return found


def _disc(count: int) -> Floats:
    """Return points that fill a disc of radius 1 evenly, from its centre outwards."""
    at = np.arange(count) + 0.5
    radius, angle = np.sqrt(at / max(count, 1)), at * _GOLDEN_ANGLE
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _around(count: int, *, has_centre: bool) -> Floats:
    """Return points for nodes without links: a belt around the others, as dense as a disc."""
    if not has_centre:
        return _disc(count)
    inner = 4 * count  # of a disc whose outer fifth is the belt
    return _disc(inner + count)[inner:] * _RING * (1 + count / (inner + count + 1) / 2)


def _apart(where: Floats) -> Floats:
    """Spread nodes at nearly the same point: the grid pushes nobody away within one of its cells.

    Small groups without links to others are pulled together more than their nodes push.
    """
    size = 1 / (2 * len(where) ** 0.5)
    cells = np.floor(where / size).astype(np.int64)
    _, of, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    of = of.ravel()
    order = np.argsort(of, kind="stable")
    at = np.empty(len(where), np.int64)  # the place of each node among those of its cell
    at[order] = np.arange(len(where)) - np.repeat(np.cumsum(counts) - counts, counts)
    angle, radius = at * _GOLDEN_ANGLE, size * np.sqrt(at)
    moved = where + np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    found: Floats = np.where((counts[of] > 1)[:, None], moved, where)
    return found


def _start(groups: Ints) -> Floats:
    """Return the first positions: each group is a disc, the largest in the middle."""
    found = _disc(len(groups))
    names, members = np.unique(groups[groups >= 0], return_counts=True)
    order = np.argsort(-members, kind="stable")
    shares = np.sqrt(members[order] / max(len(groups), 1))
    for centre, size, name in zip(_disc(len(names)), shares, names[order], strict=True):
        own = np.flatnonzero(groups == name)
        found[own] = centre + _disc(len(own)) * size
    return found


def _moved(where: Floats, edges: Ints, masses: Floats) -> Floats:
    """Move nodes until the forces are nearly balanced."""
    where = where * len(where) ** 0.5 * 10.0
    cells = int(np.clip(2 ** np.ceil(np.log2(2 * len(where) ** 0.5)), *_COARSE))
    before, speed, gravity = np.zeros_like(where), 1.0, _GRAVITY / len(where) ** 0.5
    for step in range(_STEPS):
        fine = 2 if step >= _STEPS - _FINE_STEPS else 1
        force = _repulsion(where, masses, cells * fine)
        force += _attraction(where, edges)
        force -= gravity * masses[:, None] * where
        swing = np.linalg.norm(force - before, axis=1)
        traction = np.linalg.norm(force + before, axis=1) / 2
        wanted = _TOLERANCE * (masses @ traction) / max(float(masses @ swing), 1e-9)
        speed = min(wanted, speed * _MAX_RISE)
        where = where + force * (speed / (1 + speed * np.sqrt(swing)))[:, None]
        before = force
    return where


def _attraction(where: Floats, edges: Ints) -> Floats:
    """Return the pull of each node's links, in proportion to their lengths."""
    pull = where[edges[:, 1]] - where[edges[:, 0]]
    found = np.empty_like(where)
    for axis in (0, 1):
        out = np.bincount(edges[:, 0], pull[:, axis], len(where))
        found[:, axis] = out - np.bincount(edges[:, 1], pull[:, axis], len(where))
    return found


def _repulsion(where: Floats, masses: Floats, cells: int) -> Floats:
    """Return the push of all other nodes on each, from a grid of `cells` by `cells`."""
    low = where.min(axis=0)
    width = max(float((where.max(axis=0) - low).max()), 1e-6) / (cells - 2)
    scaled = (where - low) / width
    corner = np.floor(scaled).astype(np.int64)
    share = scaled - corner
    weights = [
        ((corner[:, 0] + dx) * cells + corner[:, 1] + dy, _part(share, 0, dx) * _part(share, 1, dy))
        for dx in (0, 1)
        for dy in (0, 1)
    ]
    grid = sum(np.bincount(at, part * masses, cells * cells) for at, part in weights)
    fields = _fields(np.asarray(grid).reshape(cells, cells), width)
    found = np.empty_like(where)
    for axis, field in enumerate(fields):
        found[:, axis] = sum(part * field[at] for at, part in weights)
    found *= _REPULSION * masses[:, None]
    return found


def _part(share: Floats, axis: int, corner: int) -> Floats:
    found: Floats = share[:, axis] if corner else 1 - share[:, axis]
    return found


def _fields(grid: Floats, width: float) -> list[Floats]:
    """Return both components of the push at each point of a grid of masses, flattened."""
    cells = len(grid)
    steps = np.arange(2 * cells)
    offset = np.where(steps < cells, steps, steps - 2 * cells) * width
    dx, dy = offset[:, None], offset[None, :]
    distance = dx**2 + dy**2 + width**2 / 4
    masses = np.fft.rfft2(grid, (2 * cells, 2 * cells))
    kernels = (dx / distance, dy / distance)
    return [
        np.fft.irfft2(masses * np.fft.rfft2(kernel))[:cells, :cells].ravel() for kernel in kernels
    ]


def _scaled(where: Floats) -> Floats:
    """Return positions around the origin, nearly all within a radius of 1."""
    where = where - np.median(where, axis=0)
    radius = float(np.quantile(np.linalg.norm(where, axis=1), 0.99))
    distance = np.linalg.norm(where, axis=1) / max(radius, 1e-9)
    where = where / max(radius, 1e-9)
    found: Floats = where / np.maximum(distance, 1.0)[:, None]
    return found
