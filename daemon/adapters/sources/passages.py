"""A text cut into passages: a paragraph or several short ones, never a page."""

import re

TARGET = 120  # words; the embedding model reads about 190
_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.!?。！？])[\"'”’)\]]*\s+")
_BREAK = re.compile(r"\S+\s*")
_MARKUP = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|>\s?)", re.MULTILINE)


def passages(text: str) -> list[str]:
    """Cut at paragraphs, long ones at sentences, and gather short ones up to about 120 words."""
    cut: list[str] = []
    held: list[str] = []
    size = 0
    for piece in _pieces(text):
        words = len(piece.split())
        if held and size + words > TARGET:
            cut.append("\n".join(held))
            held, size = [], 0
        held.append(piece)
        size += words
    if held:
        cut.append("\n".join(held))
    return cut


def _pieces(text: str) -> list[str]:
    found: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        plain = _MARKUP.sub("", paragraph).strip()
        if len(plain.split()) <= TARGET:
            found.append(" ".join(plain.split()))
            continue
        for sentence in _SENTENCE.split(plain):
            found += _shortened(sentence)
    return [piece for piece in found if piece]


def _shortened(sentence: str) -> list[str]:
    """Cut what has no end of sentence for a whole page: tables, code, logs."""
    words = _BREAK.findall(sentence)
    return [
        " ".join("".join(words[at : at + TARGET]).split()) for at in range(0, len(words), TARGET)
    ]
