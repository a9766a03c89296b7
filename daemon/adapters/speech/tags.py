"""Titles and chapters in audio files.

soundfile writes some tags, but no chapters, and no title beyond Latin-1 in MP3; the libraries that
write both are under the GPL (docs/adr says more). Both formats are small: an ID3v2.3 tag with CTOC
and CHAP frames before the MP3 frames (id3.org: id3v2-chapters-1.0), and the comment header of Ogg
Opus with CHAPTERxxx comments (RFC 7845, RFC 3533).
"""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.model.audio import AudioFormat

_NO_OFFSET = 0xFFFFFFFF
_FRAMES = {"title": "TIT2", "artist": "TPE1", "album": "TALB", "date": "TYER", "genre": "TCON"}
_MAX_CHAPTERS = 255  # the count in CTOC is one byte
_SEGMENT = 255
_MAX_SEGMENTS = 255
_POLYNOMIAL = 0x04C11DB7


@dataclass(frozen=True, slots=True)
class Mark:
    """The beginning of a chapter, in seconds, and its title."""

    start: float
    title: str


def add(
    path: Path, form: AudioFormat, tags: Mapping[str, str], marks: Sequence[Mark], seconds: float
) -> None:
    """Put tags and chapters into a file. Raises ValueError if it is not as expected, OSError."""
    data, kept = path.read_bytes(), marks[:_MAX_CHAPTERS]
    if form is AudioFormat.MP3:
        changed = id3(tags, kept, seconds) + without_id3(data)
    else:
        changed = with_comments(data, [*_comments(tags), *_chapter_comments(kept)])
    path.write_bytes(changed)


def id3(tags: Mapping[str, str], marks: Sequence[Mark], seconds: float) -> bytes:
    """Return an ID3v2.3 tag."""
    frames = [
        _frame(_FRAMES[name], _text(text[:4] if name == "date" else text))
        for name, text in tags.items()
        if name in _FRAMES and text
    ]
    names = [f"chp{number}".encode() + b"\0" for number in range(len(marks))]
    if marks:
        frames.append(
            _frame("CTOC", b"toc\0" + bytes([0b11, len(marks)]) + b"".join(names))
        )  # flags: top level, ordered
    ends = [*(each.start for each in marks[1:]), seconds]
    for name, mark, end in zip(names, marks, ends, strict=True) if marks else ():
        times = struct.pack(">IIII", _ms(mark.start), _ms(end), _NO_OFFSET, _NO_OFFSET)
        frames.append(_frame("CHAP", name + times + _frame("TIT2", _text(mark.title))))
    body = b"".join(frames)
    return b"ID3\x03\x00\x00" + _synchsafe(len(body)) + body


def without_id3(data: bytes) -> bytes:
    """Return MP3 frames without an ID3v2 tag before them."""
    if data[:3] != b"ID3":
        return data
    size = sum(
        (byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=True)
    )
    return data[10 + size :]


def with_comments(data: bytes, comments: Iterable[str]) -> bytes:
    """Return an Ogg Opus file whose comment header has these comments instead of its own."""
    pages = _pages(data)
    (_, head, _), (start, body, end) = next(pages), next(pages)
    packet = data[body:end]
    if data[head : head + 8] != b"OpusHead" or packet[:8] != b"OpusTags":
        raise ValueError("not an Ogg Opus file")
    if data[body - 1] == _SEGMENT:  # pages that follow would have other numbers
        raise ValueError("the comment header has several pages")
    vendor = packet[12 : 12 + struct.unpack_from("<I", packet, 8)[0]]
    listed = [each.encode() for each in comments]
    counted = [_counted(vendor), struct.pack("<I", len(listed)), *map(_counted, listed)]
    return data[:start] + _page(data[start:body], b"OpusTags" + b"".join(counted)) + data[end:]


def _pages(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield where each page begins, where its body begins, and where it ends."""
    at = 0
    while data[at : at + 4] == b"OggS":
        count = data[at + 26]
        body = at + 27 + count
        end = body + sum(data[at + 27 : body])
        yield at, body, end
        at = end
    raise ValueError("not an Ogg file")


def _page(old: bytes, body: bytes) -> bytes:
    """Return a page with this packet, and the serial number and place of another page."""
    full, rest = divmod(len(body), _SEGMENT)
    if full >= _MAX_SEGMENTS:
        raise ValueError("the tags are longer than a page")
    lacing = bytes([_SEGMENT] * full + [rest])
    head = bytearray(old[:22] + bytes(4) + bytes([len(lacing)]) + lacing)
    page = bytes(head) + body
    return page[:22] + struct.pack("<I", checksum(page)) + page[26:]


def checksum(page: bytes) -> int:
    """Return the CRC of an Ogg page whose own field is zero (RFC 3533)."""
    value = 0
    for byte in page:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1) ^ (_POLYNOMIAL if value & 0x80000000 else 0)
            value &= 0xFFFFFFFF
    return value


def _comments(tags: Mapping[str, str]) -> Iterator[str]:
    for name, text in tags.items():
        if text:
            yield f"{name.upper()}={text}"


def _chapter_comments(marks: Sequence[Mark]) -> Iterator[str]:
    for number, mark in enumerate(marks):
        minutes, seconds = divmod(mark.start, 60)
        hours, minutes = divmod(int(minutes), 60)
        yield f"CHAPTER{number:03}={hours:02}:{minutes:02}:{seconds:06.3f}"
        yield f"CHAPTER{number:03}NAME={mark.title}"


def _frame(name: str, body: bytes) -> bytes:
    return name.encode() + struct.pack(">I", len(body)) + b"\0\0" + body


def _text(text: str) -> bytes:
    return b"\x01" + text.encode("utf-16")  # with a byte order mark


def _synchsafe(size: int) -> bytes:
    return bytes((size >> shift) & 0x7F for shift in (21, 14, 7, 0))


def _counted(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
