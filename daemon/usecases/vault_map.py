"""The map of a vault: its link graph and its meaning graph, with a place for each note."""

from datetime import datetime

from pydantic import Field

from daemon.app import App
from daemon.model import clock
from daemon.model.progress import Progress, no_progress
from daemon.usecases.document import Document, Request
from daemon.usecases.query import analysing
from vault_adapters.wikilink import note_name


class MapRequest(Request):
    """Which map to show."""

    kept: bool = Field(
        default=False, description="The last map, even if notes changed since: returns at once."
    )


class VaultMap(Document):
    """Notes and linked notes that do not exist, as columns; pairs and positions are flat lists.

    A node is an index into `paths`, or `len(paths)` plus an index into `missing`.
    """

    is_current: bool = Field(description="Whether no note changed since it was computed.")
    paths: tuple[str, ...] = Field(description="Vault-relative paths of the notes that count.")
    names: tuple[str, ...] = Field(description="Their display names.")
    missing: tuple[str, ...] = Field(description="Linked notes that do not exist, by name.")
    labels: tuple[str, ...] = Field(description="Names of the clusters.")
    clusters: tuple[int, ...] = Field(
        description="Of each node, an index into `labels`; -1: it is in no cluster."
    )
    links: tuple[int, ...] = Field(description="Source and target of each link.")
    similar: tuple[int, ...] = Field(description="Both notes of each similar pair.")
    by_links: tuple[int, ...] = Field(
        description="x and y of each node, from -10000 to 10000, near those it has links with."
    )
    by_meaning: tuple[int, ...] = Field(
        description="x and y of each node, from -10000 to 10000, near those that are similar."
    )


def vault_map(
    app: App, request: MapRequest, *, now: datetime, progress: Progress = no_progress
) -> VaultMap:
    """Return the map; compute it if it is out of date. Raises LacunaError."""
    kept, is_current = app.index.maps.kept()
    if kept is None or not (is_current or request.kept):
        kept, is_current = app.index.maps.current(now, progress), True
    titles = app.index.knowledge.titles()
    names = [titles.get(path) or note_name(path) for path in kept["paths"]]
    return VaultMap.model_validate(kept | {"names": names, "is_current": is_current})


MAP = analysing(
    "map",
    MapRequest,
    VaultMap,
    lambda app, asked, progress: vault_map(app, asked, now=clock.now(), progress=progress),
)
