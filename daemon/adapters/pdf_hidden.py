"""Remove from a PDF's page the text that its reader would not see.

Scans carry recognised text without ink: if all of a page's text is like that, it is the page's
text. White text on a darker background is visible, too.
"""

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
from pypdfium2 import raw

from daemon.adapters.hidden_style import WHITE, Colour, is_unreadable

MIN_WORDS = 5  # fewer are a stray mark, and are removed without a note
_TINY = 2.0  # points: smaller type is unreadable
_MAX_OBJECTS = 50_000  # objects of a page; with more, it is read unchanged
_INKLESS = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_OPAQUE = 13  # of 255: below this, nothing is visible


@dataclass(frozen=True, slots=True)
class _Text:
    """A piece of text on a page, and why it is hidden."""

    handle: "raw.FPDF_PAGEOBJECT"
    is_inkless: bool
    is_faint: bool


def remove_hidden_text(page: pypdfium2.PdfPage) -> int:
    """Remove hidden text from a page; return 1 if that was several words, else 0.

    Call before the page's text is read.
    """
    handles = list(_objects(page))
    if len(handles) > _MAX_OBJECTS:
        return 0
    texts = [_text(each) for each in handles if _kind(each) == raw.FPDF_PAGEOBJ_TEXT]
    removed = [each for each in texts if each.is_faint]
    if any(not each.is_inkless for each in texts):
        removed += [each for each in texts if each.is_inkless and not each.is_faint]
    white = [each for each in texts if each not in removed and _is_white(each.handle)]
    if white:
        behind = [bounds for each in handles if (bounds := _shape(each)) is not None]
        removed += [each for each in white if not _lies_on(each.handle, behind)]
    if not removed:
        return 0
    words = _words(page, removed)
    for each in removed:
        raw.FPDFPage_RemoveObject(page, each.handle)
        raw.FPDFPageObj_Destroy(each.handle)
    return int(words >= MIN_WORDS)


def _objects(page: pypdfium2.PdfPage) -> Iterator["raw.FPDF_PAGEOBJECT"]:
    for number in range(min(raw.FPDFPage_CountObjects(page), _MAX_OBJECTS + 1)):
        yield raw.FPDFPage_GetObject(page, number)


def _kind(handle: "raw.FPDF_PAGEOBJECT") -> int:
    return int(raw.FPDFPageObj_GetType(handle))


def _text(handle: "raw.FPDF_PAGEOBJECT") -> _Text:
    mode = raw.FPDFTextObj_GetTextRenderMode(handle)
    return _Text(handle, mode in _INKLESS, _size(handle) < _TINY or _ink(handle)[1] < _OPAQUE)


def _size(handle: "raw.FPDF_PAGEOBJECT") -> float:
    """Return the height of the type on the page, in points; infinite if unknown."""
    size, matrix = ctypes.c_float(), raw.FS_MATRIX()
    if not raw.FPDFTextObj_GetFontSize(handle, size):
        return math.inf
    if not raw.FPDFPageObj_GetMatrix(handle, matrix):
        return math.inf
    return abs(size.value) * math.hypot(matrix.c, matrix.d)


def _ink(handle: "raw.FPDF_PAGEOBJECT") -> tuple[Colour | None, int]:
    """Return an object's fill colour, and its opacity, of 255."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha):
        return None, 255
    return (red.value / 255, green.value / 255, blue.value / 255), alpha.value


def _is_white(handle: "raw.FPDF_PAGEOBJECT") -> bool:
    ink, _ = _ink(handle)
    is_filled = raw.FPDFTextObj_GetTextRenderMode(handle) == raw.FPDF_TEXTRENDERMODE_FILL
    return ink is not None and is_filled and is_unreadable(ink, WHITE)


def _shape(handle: "raw.FPDF_PAGEOBJECT") -> tuple[float, float, float, float] | None:
    """Return the bounds of an object on which white text can be read, or None."""
    kind = _kind(handle)
    if kind == raw.FPDF_PAGEOBJ_PATH:
        ink, alpha = _ink(handle)
        if ink is None or alpha < _OPAQUE or is_unreadable(ink, WHITE):
            return None
    elif kind not in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING, raw.FPDF_PAGEOBJ_FORM):
        return None
    return _bounds(handle)


def _bounds(handle: "raw.FPDF_PAGEOBJECT") -> tuple[float, float, float, float] | None:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not raw.FPDFPageObj_GetBounds(handle, left, bottom, right, top):
        return None
    return left.value, bottom.value, right.value, top.value


def _lies_on(
    handle: "raw.FPDF_PAGEOBJECT", shapes: list[tuple[float, float, float, float]]
) -> bool:
    """Return whether the middle of a text is on one of the shapes."""
    box = _bounds(handle)
    if box is None:
        return True
    across, up = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(
        left <= across <= right and bottom <= up <= top for left, bottom, right, top in shapes
    )


def _words(page: pypdfium2.PdfPage, texts: list[_Text]) -> int:
    text_page = page.get_textpage()
    try:
        return len(" ".join(_text_of(text_page, each.handle) for each in texts[:2000]).split())
    finally:
        text_page.close()


def _text_of(text_page: pypdfium2.PdfTextPage, handle: "raw.FPDF_PAGEOBJECT") -> str:
    size = raw.FPDFTextObj_GetText(handle, text_page, None, 0)
    held = ctypes.create_string_buffer(size)
    raw.FPDFTextObj_GetText(
        handle, text_page, ctypes.cast(held, ctypes.POINTER(ctypes.c_ushort)), size
    )
    return held.raw.decode("utf-16-le", "ignore").rstrip("\x00")
