"""Fixtures for the index."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.indexed_vault import IndexedVault


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[IndexedVault]:
    indexed = IndexedVault(tmp_path)
    yield indexed
    indexed.db.close()
