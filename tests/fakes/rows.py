"""Rows of the index for tests: each builder gives a whole one, and takes what matters by name."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from daemon.model.notes import LinkRow, NoteRow
from vault_adapters.note import LinkKind, Role

WRITTEN_AT = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


def a_note(path: str, **values: Any) -> NoteRow:
    note = NoteRow(
        path=path,
        role=Role.NOTE,
        title=path.rpartition("/")[2].rpartition(".")[0],
        size=600,
        mtime_ns=0,
        inode=0,
        hash="",
        words=100,
        frontmatter={},
        tags=(),
        aliases=(),
        headings=(),
        trouble="",
        changed_at=WRITTEN_AT,
    )
    return note._replace(**values)


def a_link(source: str, resolved: str | None, **values: Any) -> LinkRow:
    """A link that leads to `resolved`; with None give the `target` that leads nowhere."""
    link = LinkRow(
        source=source,
        target=(resolved or "").removesuffix(".md"),
        subpath="",
        display=None,
        kind=LinkKind.LINK,
        line=0,
        resolved=resolved,
    )
    return link._replace(**values)


def vectors_by_subject(
    subjects: Mapping[str, Sequence[str]], *, closeness: float = 0.7, dimensions: int = 48
) -> dict[str, npt.NDArray[np.float32]]:
    """Unit vectors under which the notes of one subject have about `closeness` as cosine."""
    random = np.random.default_rng(7)
    found = {}
    for paths in subjects.values():
        middle = random.normal(size=dimensions)
        middle /= np.linalg.norm(middle)
        for path in paths:
            own = random.normal(size=dimensions)
            own -= own @ middle * middle
            own /= np.linalg.norm(own)
            vector = closeness**0.5 * middle + (1 - closeness) ** 0.5 * own
            found[path] = vector.astype(np.float32)
    return found
