"""Readings are kept by what was read, and only those that will stay true."""

from pathlib import Path

import pytest

from daemon.adapters.extract import ExtractorDiedError
from daemon.adapters.extract_cache import CachedExtractor
from daemon.model.errors import ExtractError
from daemon.ports import Extracted
from tests.fakes.extractor import FakeExtractor

READ = Extracted("Text.", "trafilatura", "Title", ("A", "B"), "2024", 3)


def test_a_document_is_read_once_also_by_another_process(tmp_path: Path) -> None:
    inner = FakeExtractor({b"page": READ})
    for _ in range(2):
        cached = CachedExtractor(inner, tmp_path / "texts")
        assert cached.extract(b"page", content_type="text/html", url="a") == READ
        assert cached.extract(b"page", content_type="text/html", url="b") == READ
    assert inner.asked == [b"page"]


def test_the_same_bytes_taken_for_something_else_are_read_again(tmp_path: Path) -> None:
    inner = FakeExtractor({b"page": READ})
    cached = CachedExtractor(inner, tmp_path)
    cached.extract(b"page", content_type="text/html", url="")
    cached.extract(b"page", content_type="text/plain", url="")
    assert len(inner.asked) == 2


def test_a_document_that_cannot_be_read_is_not_tried_again(tmp_path: Path) -> None:
    inner = FakeExtractor({b"page": ExtractError("the PDF is encrypted")})
    cached = CachedExtractor(inner, tmp_path)
    for _ in range(2):
        with pytest.raises(ExtractError, match="encrypted"):
            cached.extract(b"page", content_type="application/pdf", url="")
    assert len(inner.asked) == 1


def test_a_crash_says_nothing_lasting(tmp_path: Path) -> None:
    inner = FakeExtractor({b"page": ExtractorDiedError("took too long")})
    cached = CachedExtractor(inner, tmp_path)
    for _ in range(2):
        with pytest.raises(ExtractorDiedError):
            cached.extract(b"page", content_type="application/pdf", url="")
    assert len(inner.asked) == 2


@pytest.mark.parametrize("torn", [b"", b"{", b"[]", b'{"title": "x"}', b"\xff"])
def test_a_torn_cache_file_is_read_anew(tmp_path: Path, torn: bytes) -> None:
    cached = CachedExtractor(FakeExtractor({b"page": READ}), tmp_path)
    cached.extract(b"page", content_type="text/html", url="")
    for path in tmp_path.iterdir():
        path.write_bytes(torn)
    assert cached.extract(b"page", content_type="text/html", url="") == READ


def test_a_cache_that_cannot_be_kept_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    inner = FakeExtractor({b"page": READ})
    cached = CachedExtractor(inner, tmp_path / "file" / "texts")
    assert cached.extract(b"page", content_type="text/html", url="") == READ
    cached.close()
    assert inner.closed
