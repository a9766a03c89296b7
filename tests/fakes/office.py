"""EPUB and Word files, made in the test."""

import zipfile
from collections.abc import Mapping
from io import BytesIO

_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships'
    '+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats'
    '-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006'
    '/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)


def make_zip(entries: Mapping[str, str | bytes]) -> bytes:
    """Pack files; an EPUB's `mimetype` is stored first and as it is."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            plain = name == "mimetype"
            archive.writestr(
                zipfile.ZipInfo(name), data, zipfile.ZIP_STORED if plain else zipfile.ZIP_DEFLATED
            )
    return packed.getvalue()


def make_epub(
    chapters: Mapping[str, str],
    *,
    metadata: str = "",
    contents: Mapping[str, str] | None = None,
    more: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """Make an EPUB of file name → body; `contents` are the labels of its table of contents."""
    items = "".join(
        f'<item id="i{at}" href="{name}" media-type="application/xhtml+xml"/>'
        for at, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{at}"/>' for at in range(len(chapters)))
    nav = "".join(
        f'<li><a href="{href}">{label}</a></li>' for href, label in (contents or {}).items()
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{metadata}</metadata><manifest>{items}"
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        f"</manifest><spine>{spine}</spine></package>"
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>'
    return make_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": _CONTAINER,
            "OPS/book.opf": package,
            "OPS/nav.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml" '
            'xmlns:epub="http://www.idpf.org/2007/ops"><body>'
            f'<nav epub:type="toc"><ol>{nav}</ol></nav></body></html>',
            **{f"OPS/{name}": f"{page}{body}</body></html>" for name, body in chapters.items()},
            **(more or {}),
        }
    )


def make_docx(paragraphs: list[tuple[str, str]], core: str = "") -> bytes:
    """Make a Word document of (style, text); styles are `Heading1` and so on, or "" for text."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}">'
        f'<w:name w:val="heading {n}"/></w:style>'
        for n in (1, 2)
    )
    relation = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006'
        '/relationships/styles" Target="styles.xml"/></Relationships>'
    )
    entries = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONS,
        "word/_rels/document.xml.rels": relation,
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
        "word/styles.xml": f'<w:styles xmlns:w="{_WORD}">{styles}</w:styles>',
    }
    if core:
        entries["docProps/core.xml"] = (
            '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="http://purl.org/dc/elements/1.1/"'
            f' xmlns:dcterms="http://purl.org/dc/terms/">{core}</cp:coreProperties>'
        )
    return make_zip(entries)
