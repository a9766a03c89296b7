"""The feed of episodes (RSS 2.0 with the podcast tags of Apple and Podlove). Pure.

An episode is inserted before the end of the channel; no other byte of the file changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from daemon.model.audio import AudioFormat, Script, Speech
from vault_adapters.inert import visible

_END = "</channel>"
_NAMESPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "psc": "http://podlove.org/simple-chapters",
}


@dataclass(frozen=True, slots=True)
class Channel:
    """A feed: the name of the vault, its folder, and the address at which the user serves the audio
    folder; "" for addresses of files.
    """

    name: str
    root: str
    address: str

    def address_of(self, path: str) -> str:
        """Return the address of a file by its vault-relative path."""
        if self.address:
            return f"{self.address}/{quote(path.rpartition('/')[2])}"
        return Path(self.root, path).as_uri()


@dataclass(frozen=True, slots=True)
class FeedItem:
    """An episode in a feed. `path` is that of its audio file."""

    id: str
    path: str
    script: Script
    speech: Speech
    format: AudioFormat
    created_at: datetime


def has_item(text: str, id: str) -> bool:
    """Return whether a feed has an episode."""
    return f">{escape(id)}</guid>" in text


def empty_feed(channel: Channel, path: str) -> str:
    """Return a feed without episodes; `path` is its own."""
    spaces = " ".join(f"xmlns:{name}={quoteattr(url)}" for name, url in _NAMESPACES.items())
    own = channel.address_of(path)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<rss version="2.0" {spaces}>',
        "<channel>",
        f"  <title>{_text(f'Lacuna: {channel.name}')}</title>",
        f"  <link>{escape(own)}</link>",
        "  <description>Reports and findings of your vault, read aloud.</description>",
        "  <language>en</language>",
        "  <generator>Lacuna</generator>",
        f'  <atom:link href={quoteattr(own)} rel="self" type="application/rss+xml"/>',
        "  <itunes:author>Lacuna</itunes:author>",
        "  <itunes:explicit>false</itunes:explicit>",
        '  <itunes:category text="Education"/>',
        _END,
        "</rss>",
        "",
    ]
    return "\n".join(lines)


def with_item(text: str, item: FeedItem, channel: Channel) -> str | None:
    """Return a feed with one more episode; None if the text is no feed."""
    place = text.rfind(_END)
    if place < 0 or "<rss" not in text or text.find("<!--", place) >= 0:
        return None
    start = text.rfind("\n", 0, place) + 1
    at = start if not text[start:place].strip() else place
    return text[:at] + _item(item, channel) + text[at:]


def _item(item: FeedItem, channel: Channel) -> str:
    url = quoteattr(channel.address_of(item.path))
    lines = [
        "  <item>",
        f"    <title>{_text(item.script.title)}</title>",
        f"    <description>{_text(_summary(item.script))}</description>",
        f'    <guid isPermaLink="false">{escape(item.id)}</guid>',
        f"    <pubDate>{format_datetime(item.created_at)}</pubDate>",
        f'    <enclosure url={url} length="{item.speech.size}" type="{item.format.media_type}"/>',
        f"    <itunes:duration>{round(item.speech.seconds)}</itunes:duration>",
        '    <psc:chapters version="1.2">',
        *_chapters(item.script, item.speech.starts),
        "    </psc:chapters>",
        "  </item>",
        "",
    ]
    return "\n".join(lines)


def _chapters(script: Script, starts: Sequence[float]) -> list[str]:
    return [
        f'      <psc:chapter start="{_clock(start)}" title={quoteattr(_plain(chapter.title))}/>'
        for chapter, start in zip(script.chapters, starts, strict=True)
    ]


def _summary(script: Script) -> str:
    """Return what an episode is about: its chapters without the first and the last."""
    return " · ".join(chapter.title for chapter in script.chapters[1:-1]) or script.title


def _clock(seconds: float) -> str:
    minutes, second = divmod(seconds, 60)
    return f"{int(minutes) // 60:02}:{int(minutes) % 60:02}:{second:06.3f}"


def _plain(text: str) -> str:
    return " ".join(visible(text).split())


def _text(text: str) -> str:
    return escape(_plain(text))
