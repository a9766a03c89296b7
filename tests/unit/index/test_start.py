"""A start with nothing changed since: no file is opened, no process started, nothing embedded."""

import io
import os
from typing import Any

import pytest

from daemon.index import parallel
from tests.fakes.indexed_vault import IndexedVault


def test_a_start_with_nothing_changed_opens_no_file_of_the_vault(
    vault: IndexedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        vault.write(f"folder/{number}.md", f"---\naliases: [n{number}]\n---\nsee [[{number + 1}]]")
    vault.write("Board.canvas", "{}")
    vault.write("picture.png", b"\x89PNG")
    first = vault.sync()
    vault.reopen()
    inside = f"{vault.root}{os.sep}"
    opened: list[str] = []

    def watched(opening: Any) -> Any:
        def open_(path: Any, *rest: Any, **how: Any) -> Any:
            if not isinstance(path, int) and os.fspath(path).startswith(inside):
                opened.append(path)
            return opening(path, *rest, **how)

        return open_

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(os, "open", watched(os.open))
    monkeypatch.setattr(io, "open", watched(io.open))
    monkeypatch.setattr("builtins.open", watched(open))
    monkeypatch.setattr(parallel, "Child", refuse)
    report = vault.sync()
    assert opened == []
    assert vault.embedder.asked == []
    assert (report.changed, report.renamed, report.removed, report.embedded) == ((), (), 0, 0)
    assert (report.notes, report.links, report.chunks) == (first.notes, first.links, first.chunks)
    vault.write("folder/3.md", "other")
    opened.clear()
    assert vault.sync().changed == ("folder/3.md",)
    assert opened == [f"{inside}folder/3.md"]
