"""The link graph as a document for other programs: every written link, with counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from daemon.model.notes import LinkRow, NoteRow
from vault_adapters.note import LinkKind, Role


def graph_json(notes: Sequence[NoteRow], links: Iterable[LinkRow]) -> dict[str, Any]:
    """Return `{nodes, edges, unresolved}`, sorted.

    Nodes are notes and canvases of every role and all other link targets, without notes that Lacuna
    wrote. A note's link to itself is an edge with equal ends; analysis ignores those.
    """
    own = {note.path for note in notes if note.role is Role.OWN}
    unread = (Role.OWN, Role.ATTACHMENT, Role.CONFLICT)
    nodes = {note.path for note in notes if note.role not in unread}
    edges: Counter[tuple[str, str, str]] = Counter()
    unresolved: Counter[tuple[str, str]] = Counter()
    for link in links:
        if link.resolved is None:
            if link.target and link.kind is not LinkKind.TAG:
                unresolved[link.source, link.target] += 1
        elif link.resolved not in own:
            kind = LinkKind.LINK if link.kind is LinkKind.TAG else link.kind
            edges[link.source, link.resolved, kind.value] += 1
            nodes.add(link.resolved)
    return {
        "nodes": sorted(nodes),
        "edges": [
            {"source": source, "target": target, "kind": kind, "count": count}
            for (source, target, kind), count in sorted(edges.items())
        ],
        "unresolved": [
            {"source": source, "target": target, "count": count}
            for (source, target), count in sorted(unresolved.items())
        ],
    }
