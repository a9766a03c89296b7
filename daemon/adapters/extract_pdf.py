"""The text of a PDF in reading order, its lines joined to paragraphs again."""

import re
from collections import Counter
from typing import Any

import pypdfium2
from pypdfium2 import PdfiumError

from daemon.adapters.page_places import page_places
from daemon.adapters.pdf_columns import Box, in_reading_order
from daemon.adapters.pdf_hidden import remove_hidden_text
from daemon.adapters.pdf_metadata import pdf_metadata
from daemon.model.errors import ExtractError

MAX_PAGES = 1000
MIN_LETTERS_PER_PAGE = 20  # fewer, on average, and the pages are pictures
_HYPHENS = "\x02\ufffe\u00ad"  # what PDFium leaves where a line ended in a hyphen
_CONTROL = re.compile(r"[\x00-\x01\x03-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\uffff]")
_SPLIT_WORD = re.compile(rf"(\w+)[{_HYPHENS}](?:\s*\n)?(\w+)|(\w+)-\n(\w+)")
_PAIR = re.compile(r"(?=\b(\w+-\w+))\w+")
_LETTER = re.compile(r"[^\W\d_]")
_ENDS = re.compile(r"[.!?:;。！？][\"'”’)\]]*\d{0,3}$")
_NUMBERS = re.compile(r"\d+")
_CREATED = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")
_NO_TITLE = re.compile(
    r"^(untitled|microsoft word|microsoft powerpoint|.*\.(docx?|tex|dvi|pdf|indd|pptx?)$|slide 1$)",
    re.IGNORECASE,
)
EDGE = 2  # lines at the top and the bottom of a page that may be running headers or footers


def extract_pdf(body: bytes) -> dict[str, Any]:
    """Return the fields of an Extracted. Raises ExtractError: encrypted, broken, image-only."""
    if not body:
        raise ExtractError("the document is empty")
    try:
        document = pypdfium2.PdfDocument(body)
    except PdfiumError as error:
        raise ExtractError(_in_words(str(error))) from None
    try:
        told = document.get_metadata_dict()
        pages, hidden = _pages(document)
        claims = pdf_metadata(document, body, _metadata(told))
    finally:
        document.close()
    letters = sum(len(_LETTER.findall(page)) for page in pages)
    if letters == 0 or (len(pages) > 1 and letters < MIN_LETTERS_PER_PAGE * len(pages)):
        raise ExtractError(f"the PDF has no text in it, only pictures ({_count(len(pages))})")
    text = tidy(pages)
    return {
        **_metadata(told),
        **claims,
        "text": text,
        "extracted_by": "pdfium",
        "hidden": hidden,
        "places": page_places(pages, text),
    }


def tidy(pages: list[str]) -> str:
    """Join the lines of pages to paragraphs, without running headers and without hyphenation."""
    clean = [_CONTROL.sub("", page).replace("\r\n", "\n").replace("\r", "\n") for page in pages]
    whole = _joined_words("\n".join(_without_running_lines(clean)))
    return "\n\n".join(_paragraphs(whole.split("\n")))


def _pages(document: pypdfium2.PdfDocument) -> tuple[list[str], int]:
    """The text of each page, and on how many of them some was hidden, and left out."""
    texts: list[str] = []
    hidden = 0
    for number in range(min(len(document), MAX_PAGES)):
        try:
            page = document[number]
            hidden += remove_hidden_text(page)
            text_page = page.get_textpage()
            texts.append(_page_text(text_page, page.get_width()))
            text_page.close()
            page.close()
        except PdfiumError:
            texts.append("")
    return texts, hidden


def _page_text(text_page: pypdfium2.PdfTextPage, width: float) -> str:
    boxes = [Box(*text_page.get_rect(at)) for at in range(text_page.count_rects())]
    lines = in_reading_order(
        boxes,
        width,
        lambda box: " ".join(
            text_page.get_text_bounded(box.left, box.bottom, box.right, box.top).split()
        ),
    )
    if lines is not None:
        return "\n".join(lines)
    # Bounded by the page: text placed outside of it is nothing a reader sees.
    return str(text_page.get_text_bounded())


def _in_words(error: str) -> str:
    if "password" in error.lower():
        return "the PDF is encrypted"
    if "security" in error.lower():
        return "the PDF uses an encryption that cannot be read"
    return "the PDF is broken"


def _count(pages: int) -> str:
    return f"{pages} page" if pages == 1 else f"{pages} pages"


def _without_running_lines(pages: list[str]) -> list[str]:
    """Drop lines that stand at the edge of many pages, page numbers counted as equal."""
    split = [[line.strip() for line in page.split("\n") if line.strip()] for page in pages]
    seen = Counter(key for lines in split for key in {_key(line) for line in _edges(lines)})
    often = max(3, round(0.4 * len(pages)))
    running = {key for key, count in seen.items() if count >= often}
    kept = []
    for lines in split:
        edge = set(range(EDGE)) | set(range(len(lines) - EDGE, len(lines)))
        kept.append(
            "\n".join(
                line
                for number, line in enumerate(lines)
                if not (number in edge and (_key(line) in running or line.isdigit()))
            )
        )
    return kept


def _edges(lines: list[str]) -> list[str]:
    return lines[:EDGE] + lines[-EDGE:]


def _key(line: str) -> str:
    return _NUMBERS.sub("#", line.casefold())


def _joined_words(text: str) -> str:
    """Join words that were hyphenated at a line's end, and keep hyphens that belong."""
    folded = text.casefold()
    words = Counter(re.findall(r"\w+", folded))
    words.update(_PAIR.findall(folded))

    def join(found: re.Match[str]) -> str:
        left, right = (found[1] or found[3]), (found[2] or found[4])
        kept, closed = f"{left}-{right}", f"{left}{right}"
        broken = left[-1].isalpha() and right[0].isalpha() and not right[0].isupper()
        return closed if broken and words[closed.casefold()] >= words[kept.casefold()] else kept

    joined = _SPLIT_WORD.sub(join, text)
    return re.sub(rf"[{_HYPHENS}]", "", joined)


def _paragraphs(lines: list[str]) -> list[str]:
    lengths = sorted(len(line) for line in lines if line.strip())
    full = lengths[int(0.6 * len(lengths))] if lengths else 0
    paragraphs: list[list[str]] = [[]]
    for number, line in enumerate(lines):
        if not line.strip():
            paragraphs.append([])
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        paragraphs[-1].append(" ".join(line.split()))
        if _ends_paragraph(line.strip(), following.strip(), full):
            paragraphs.append([])
    return [" ".join(paragraph) for paragraph in paragraphs if paragraph]


def _ends_paragraph(line: str, following: str, full: int) -> bool:
    """A line ends its paragraph when it stops short and the next one begins afresh."""
    if len(line) >= 0.8 * full:
        return False
    fresh = not following[:1].islower()
    return fresh and (_ENDS.search(line) is not None or len(line) < 0.6 * full)


def _metadata(told: dict[str, str]) -> dict[str, Any]:
    title = " ".join(told.get("Title", "").replace("\x00", "").split())
    author = " ".join(told.get("Author", "").replace("\x00", "").split())
    created = _CREATED.match(told.get("CreationDate", ""))
    names = re.split(r"\s*[;,]\s*|\s+and\s+", author) if author else []
    return {
        "title": "" if _NO_TITLE.match(title) else title,
        "authors": [
            name for name in names if name and name.lower() not in ("anonymous", "unknown")
        ],
        "published": "-".join(filter(None, created.groups())) if created else "",
    }
