"""Feeds in their three forms, and only the entries that are about the question."""

from pathlib import Path

import pytest

from daemon.model.evidence import Answer, SourceStatus
from tests.fakes.api import ask, serving

RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour</title>
<item><title>Harbour tides</title><link>https://x.example/1</link>
<description>&lt;p&gt;The tides in the harbour turn.&lt;/p&gt;</description>
<author>ada@x.example (Ada Marsh)</author><pubDate>Wed, 04 Mar 2026 10:00:00 GMT</pubDate></item>
<item><title>Cooking rice</title><link>https://x.example/2</link></item></channel></rss>"""
ATOM = b"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>H</title>
<entry><title>Harbour tides</title><link href="https://x.example/1"/><id>urn:1</id>
<author><name>Ada Marsh</name></author><updated>2026-03-04T10:00:00Z</updated>
<summary>The tides in the harbour turn.</summary></entry></feed>"""
JSON = b"""{"version": "https://jsonfeed.org/version/1.1", "title": "H", "items": [
{"id": "1", "url": "https://x.example/1", "title": "Harbour tides",
"content_text": "The tides in the harbour turn.", "authors": [{"name": "Ada Marsh"}],
"date_published": "2026-03-04T10:00:00Z"}]}"""


def read(body: bytes) -> Answer:
    return ask("feed", serving(body, ""))


@pytest.mark.parametrize("body", [RSS, ATOM, JSON])
def test_matching_entries_are_found_in_each_feed_format(body: bytes) -> None:
    (hit,) = read(body).hits
    assert (hit.title, hit.url) == ("Harbour tides", "https://x.example/1")
    assert hit.snippet == "The tides in the harbour turn."
    assert hit.published == "2026-03-04"
    assert "Ada Marsh" in hit.authors[0]


def test_a_feed_with_nothing_about_the_question_is_empty() -> None:
    empty = b'<?xml version="1.0"?><rss version="2.0"><channel><title>H</title></channel></rss>'
    assert read(empty).status is SourceStatus.EMPTY
    assert read(RSS.replace(b"arbour", b"ouse").replace(b"tides", b"mice")).hits == ()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("body", [RSS, ATOM, JSON])
def test_a_truncated_feed_is_unavailable(body: bytes, share: float) -> None:
    answer = read(body[: int(len(body) * share)])
    assert (answer.status, answer.hits) == (SourceStatus.UNAVAILABLE, ())


def test_a_body_that_references_a_file_opens_none(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_bytes(RSS)
    assert read(str(tmp_path / "feed.xml").encode()).hits == ()
