"""Decode bytes to text, whatever the bytes are."""

import codecs

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes) -> tuple[str, str]:
    """Return the text and a description of invalid bytes, or "".

    A byte order mark is dropped and every line end becomes `\\n`. Bytes that are not UTF-8 become
    U+FFFD, as in Obsidian, and so do NUL characters: neither may end a text early.
    """
    text, trouble = _text(data)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
        trouble = trouble or "contains NUL characters"
    return text, trouble


def _text(data: bytes) -> tuple[str, str]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _as(data[len(bom) :], encoding)
    return _as(data, "utf-8")


def _as(data: bytes, encoding: str) -> tuple[str, str]:
    try:
        return data.decode(encoding), ""
    except UnicodeDecodeError as error:
        name = "UTF-8" if encoding == "utf-8" else "UTF-16"
        return (
            data.decode(encoding, errors="replace"),
            f"contains bytes that are not {name} (the first at offset {error.start})",
        )
