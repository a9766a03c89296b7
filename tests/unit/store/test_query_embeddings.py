"""Embeddings of queries are kept for a day, without the queries."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.store.query_embeddings import FILE, QueryEmbeddings

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_an_embedding_is_kept_for_a_day_and_for_its_model(tmp_path: Path) -> None:
    QueryEmbeddings(tmp_path, "m", NOW).put("wild yeast", "AAAA")
    assert QueryEmbeddings(tmp_path, "m", NOW).get("wild yeast") == "AAAA"
    assert QueryEmbeddings(tmp_path, "m", NOW).get("rye") is None
    assert QueryEmbeddings(tmp_path, "other", NOW).get("wild yeast") is None
    late = QueryEmbeddings(tmp_path, "m", NOW + timedelta(hours=24))
    assert late.get("wild yeast") is None
    late.put("rye", "BBBB")
    text = (tmp_path / FILE).read_text()
    assert "AAAA" not in text
    assert "rye" not in text
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_a_damaged_file_is_no_cache_and_it_does_not_grow(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{")
    kept = QueryEmbeddings(tmp_path, "m", NOW)
    assert kept.get("rye") is None
    for number in range(205):
        kept.put(f"query {number}", "A")
    assert sum(kept.get(f"query {number}") is not None for number in range(205)) == 200
