"""The notes behind each number of the health, as one list that can be read in pages."""

from collections.abc import Iterable, Iterator
from typing import Any, Self

from pydantic import Field, model_validator

from daemon.analysis.graph import link_graph
from daemon.app import App
from daemon.model import clock
from daemon.model.errors import NotFoundError
from daemon.model.health_kinds import HealthList
from daemon.model.progress import Progress, no_progress
from daemon.usecases.document import Document, ListDocument, Request
from daemon.usecases.health import analysed
from daemon.usecases.query import analysing
from vault_adapters.wikilink import note_name


class HealthListRequest(Request):
    """Which list."""

    kind: HealthList = Field(
        description="`notes`: all, by path; `links`: all, those with the most links first; the "
        "others as in the document of `health`."
    )
    cluster: str | None = Field(
        default=None, description="With `clusters`: the notes of the cluster with this label."
    )

    @model_validator(mode="after")
    def _one_list(self) -> Self:
        if self.cluster is not None and self.kind is not HealthList.CLUSTERS:
            raise ValueError("give a cluster only with `clusters`")
        return self


class HealthItem(Document):
    """A note of a list; or a missing note, a cluster or a gap."""

    path: str = Field(description='Vault-relative path; "": no single note, or a missing one.')
    name: str = Field(description="Display name, label or topic.")
    count: int = Field(
        default=0,
        description="Its links in either direction; of a missing note: the notes that link to it; "
        "of a cluster: its notes.",
    )
    why: str = Field(default="", description='Why it is in the list; "": the list says it.')
    sources: tuple[str, ...] = Field(
        default=(), alias="from", description="Of a missing note: paths of the notes that link."
    )
    query: str = Field(default="", description="Of a gap: what would be asked.")


class HealthItems(ListDocument[HealthItem]):
    """The items of a list."""


def health_list(
    app: App, request: HealthListRequest, progress: Progress = no_progress
) -> HealthItems:
    """Return all of one list. Raises NotFoundError for a cluster that does not exist."""
    items = _items(app, request, progress)
    names = app.index.knowledge.titles()
    named = ({"name": names.get(item["path"]) or note_name(item["path"]), **item} for item in items)
    return HealthItems.model_validate(list(named))


def _items(app: App, request: HealthListRequest, progress: Progress) -> Iterable[dict[str, Any]]:
    if request.kind in (HealthList.NOTES, HealthList.LINKS):
        found = list(_with_links(app))
        by_links = request.kind is HealthList.LINKS
        return sorted(found, key=lambda each: -each["count"]) if by_links else found
    listed = analysed(app, clock.now(), progress)[request.kind.value]
    if request.cluster is not None:
        return [{"path": path} for path in _cluster(listed, request.cluster)]
    return [_item(each) for each in listed]


def _with_links(app: App) -> Iterator[dict[str, Any]]:
    notes = app.index.knowledge.notes
    graph = link_graph(notes.all(), notes.links())
    for path in graph.notes:
        yield {"path": path, "count": len(graph.out[path]) + len(graph.into[path])}


def _cluster(clusters: Iterable[dict[str, Any]], label: str) -> list[str]:
    found = next((each["notes"] for each in clusters if each["label"] == label), None)
    if found is None:
        raise NotFoundError(f"{label}: there is no such cluster")
    return list(found)


def _item(each: Any) -> dict[str, Any]:
    """Return an item of the health in the form of all lists."""
    if isinstance(each, str):
        return {"path": each}
    if "target" in each:
        count = len(each["from"])
        return {"path": "", "name": each["target"], "count": count, "from": each["from"]}
    if "label" in each:
        return {"path": "", "name": each["label"], "count": len(each["notes"]), "why": each["kind"]}
    if "topic" in each:
        query = each["query"] or each["topic"]
        return {
            "path": each["note"] or "", "name": each["topic"], "why": each["why"], "query": query
        }  # fmt: skip
    return {"path": each["path"], "why": each["why"]}


HEALTH_LIST = analysing("health-list", HealthListRequest, HealthItems, health_list)
