"""The kind of a document, from its bytes; its name decides only between text and Markdown."""

import re

from daemon.model.errors import ExtractError
from daemon.model.literature import InputType

MEDIA_TYPES = {
    InputType.PDF: "application/pdf",
    InputType.HTML: "text/html",
    InputType.EPUB: "application/epub+zip",
    InputType.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    InputType.MARKDOWN: "text/markdown",
    InputType.TEXT: "text/plain",
}
READABLE = "PDF, HTML, DOCX, EPUB, Markdown or text"
_HEAD = 4096  # bytes
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_ZIP, _OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# The names of files are not compressed in an archive: nothing is unpacked to find them.
_PARTS = ((b"word/document.xml", InputType.DOCX), (b"META-INF/container.xml", InputType.EPUB))
# What exports of ChatGPT, Claude and Gemini contain, and how they are named in an archive.
_CHATS = (b'"current_node"', b'"chat_messages"', b'"safeHtmlItem"')
_CHAT_FILES = re.compile(rb"conversations\.json|My ?Activity\.json")
_IMAGES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"RIFF")
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body)\b")
_MARKDOWN = re.compile(
    r"\A---[ \t]*\n.*?\n---[ \t]*$|^#{1,6} \S|\[\[[^\]\n]+\]\]|\[[^\]\n]+\]\(\S+\)|^```",
    re.MULTILINE | re.DOTALL,
)
_MARKDOWN_NAMES = (".md", ".markdown")


def kind_of(body: bytes, name: str) -> InputType:
    """Return the kind of a document. Raises ExtractError, with the reason."""
    head = body[:_HEAD]
    if not body.strip(b" \t\r\n\x00"):
        raise ExtractError("it is empty")
    if b"%PDF-" in head[:1024]:
        return InputType.PDF
    if body.startswith(_ZIP):
        return _packed(body)
    if body.startswith(_OFFICE):
        raise ExtractError("it is an old or password-protected Office file; save it as DOCX or PDF")
    if head.startswith(_IMAGES):
        raise ExtractError("it is an image; only text can be taken in")
    if b"\x00" in head and not head.startswith(_BOMS):
        raise ExtractError(f"it is not {READABLE}")
    if head.lstrip()[:1] in (b"[", b"{") and any(each in body for each in _CHATS):
        return InputType.CONVERSATION
    if _HTML.match(_without_bom(head).lower()):
        return InputType.HTML
    is_markdown = name.lower().endswith(_MARKDOWN_NAMES) or _MARKDOWN.search(
        head.decode("utf-8", "replace")
    )
    return InputType.MARKDOWN if is_markdown else InputType.TEXT


def _packed(body: bytes) -> InputType:
    found = next((kind for part, kind in _PARTS if part in body), None)
    if found is None and _CHAT_FILES.search(body):
        return InputType.CONVERSATION
    if found is None:
        raise ExtractError("it is an archive of other files than DOCX, EPUB or conversations")
    return found


def _without_bom(head: bytes) -> bytes:
    return head.removeprefix(_BOMS[0])
