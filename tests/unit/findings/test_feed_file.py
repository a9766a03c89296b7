"""The feed of episodes: valid, only added to, and inert."""

from datetime import UTC, datetime
from pathlib import Path

import feedparser

from daemon.findings.feed_file import Channel, FeedItem, empty_feed, has_item, with_item
from daemon.model.audio import AudioFormat, Engine, Line, Script, ScriptChapter, Speech

CHANNEL = Channel("My <notes> & more", "/home/me/notes", "")
FEED = "Inbox/Audio/feed.xml"


def item(id: str, title: str = "Bread") -> FeedItem:
    chapters = tuple(ScriptChapter(each, (Line(0, "x"),)) for each in ("Welcome", title, "The end"))
    speech = Speech(Engine.ESPEAK, ("en-us",), 83.4, 12345, (0.0, 5.5, 70.0), -16.0, -1.5)
    at = datetime(2026, 11, 23, 6, tzinfo=UTC)
    path = "Inbox/Audio/2026-11-23 Bread & butter.ogg"
    return FeedItem(id, path, Script(id, title, "", chapters), speech, AudioFormat.OPUS, at)


def added(text: str, each: FeedItem, channel: Channel = CHANNEL) -> str:
    found = with_item(text, each, channel)
    assert found is not None
    return found


def test_an_episode_has_an_enclosure_with_length_duration_and_chapters() -> None:
    text = added(empty_feed(CHANNEL, FEED), item("audio-1"))
    feed = feedparser.parse(text)
    assert not feed.bozo
    assert feed.feed.title == "Lacuna: My <notes> & more"
    [entry] = feed.entries
    [enclosure] = entry.enclosures
    place = Path("/home/me/notes/Inbox/Audio/2026-11-23 Bread & butter.ogg").as_uri()
    assert (enclosure.href, enclosure.length, enclosure.type) == (place, "12345", "audio/ogg")
    assert (entry.title, entry.id, entry.itunes_duration) == ("Bread", "audio-1", "83")
    assert 'start="00:00:05.500" title="Bread"' in text


def test_the_address_at_which_the_folder_is_served_is_used() -> None:
    served = Channel("x", "/home/me", "https://pods.example/me")
    text = added(empty_feed(served, FEED), item("audio-1"), served)
    [entry] = feedparser.parse(text).entries
    assert entry.enclosures[0].href == (
        "https://pods.example/me/2026-11-23%20Bread%20%26%20butter.ogg"
    )


def test_an_episode_is_added_without_changing_any_other_byte() -> None:
    text = added(empty_feed(CHANNEL, FEED), item("audio-1"))
    own = text.replace("<language>en", "<!-- mine -->\n  <language>en-GB")
    both = added(own, item("audio-2"))
    start = both.index("  <item>", both.index("</item>"))
    end = both.index("</item>\n", start) + len("</item>\n")
    assert both[:start] + both[end:] == own
    assert [each.id for each in feedparser.parse(both).entries] == ["audio-1", "audio-2"]
    assert has_item(both, "audio-2")
    assert not has_item(both, "audio-3")


def test_what_is_no_feed_stays_as_it_is() -> None:
    for text in ("", "hello", "<rss>", "<html></channel></html>"):
        assert with_item(text, item("audio-1"), CHANNEL) is None


def test_titles_cannot_break_out_of_the_feed() -> None:
    hostile = '"/></item></channel><script>alert(1)</script>\x00\x1b]]>&lt;'
    feed = feedparser.parse(added(empty_feed(CHANNEL, FEED), item("audio-1", hostile)))
    assert not feed.bozo
    assert len(feed.entries) == 1
