"""The map of a vault: its link graph and its meaning graph, with a place for each note."""

from datetime import datetime

from pydantic import Field

from daemon.app import App
from daemon.model import clock
from daemon.model.progress import Progress, no_progress
from daemon.usecases.document import Document, Request
from daemon.usecases.query import analysing


class MapRequest(Request):
    """Which map to show."""

    kept: bool = Field(
        default=False, description="The last map, even if notes changed since: returns at once."
    )


class VaultMap(Document):
    """Notes and linked notes that do not exist, as columns; pairs and positions are flat.

    A node is an index into `paths`, or `len(paths)` plus an index into `missing`. A column of
    numbers is base64 of little-endian 32-bit integers.
    """

    is_current: bool = Field(description="Whether no note changed since it was computed.")
    paths: tuple[str, ...] = Field(description="Vault-relative paths of the notes that count.")
    names: tuple[str, ...] = Field(description="Their display names.")
    missing: tuple[str, ...] = Field(description="Linked notes that do not exist, by name.")
    labels: tuple[str, ...] = Field(description="Names of the clusters.")
    clusters: str = Field(
        description="Numbers: of each node, an index into `labels`; -1: it is in no cluster."
    )
    links: str = Field(description="Numbers: source and target of each link.")
    similar: str = Field(description="Numbers: both notes of each similar pair.")
    by_links: str = Field(
        description="Numbers: x and y of each node, from -10000 to 10000, near those it has links"
        " with."
    )
    by_meaning: str = Field(
        description="Numbers: x and y of each node, from -10000 to 10000, near those that are"
        " similar."
    )


def vault_map(
    app: App, request: MapRequest, *, now: datetime, progress: Progress = no_progress
) -> VaultMap:
    """Return the map; compute it if it is out of date. Raises LacunaError."""
    kept, is_current = app.index.maps.kept()
    if kept is None or not (is_current or request.kept):
        kept, is_current = app.index.maps.current(now, progress), True
    return VaultMap.model_validate(kept | {"is_current": is_current})


MAP = analysing(
    "map",
    MapRequest,
    VaultMap,
    lambda app, asked, progress: vault_map(app, asked, now=clock.now(), progress=progress),
)
