"""Small PDFs, written by hand: a page is a list of lines, one under the other."""

import zlib
from collections.abc import Sequence


def make_pdf(pages: Sequence[Sequence[str]], *, title: str = "", author: str = "") -> bytes:
    """Build a PDF of Latin-1 lines in Helvetica; a page without lines has no text at all."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        content = _content(lines)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    reported = f"<< /Title ({_escaped(title)}) /Author ({_escaped(author)}) >>"
    objects.append(reported.encode("latin-1"))
    return _file(objects)


def _content(lines: Sequence[str]) -> bytes:
    if not lines:
        return b"0 0 100 100 re f"
    shown = "\n".join(f"({_escaped(line)}) Tj T*" for line in lines)
    return f"BT /F1 10 Tf 12 TL 50 790 Td\n{shown}\nET".encode("cp1252")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _file(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(out + trailer % (len(objects) + 1, len(objects), start))


def columns_pdf(title: str, rows: Sequence[tuple[str, str]], *, by_row: bool = True) -> bytes:
    """Build a page of two columns under a title, written row by row or column by column."""
    placed = [(50, 780, title)]
    cells = [
        (x, 750 - 12 * number, text)
        for number, row in enumerate(rows)
        for x, text in zip((50, 310), row, strict=True)
    ]
    placed += cells if by_row else sorted(cells, key=lambda cell: cell[0])
    shown = "\n".join(f"1 0 0 1 {x} {y} Tm ({_escaped(text)}) Tj" for x, y, text in placed)
    content = f"BT /F1 10 Tf\n{shown}\nET".encode("cp1252")
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
                b" /Resources << /Font << /F1 3 0 R >> >> >>"
            ),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< >>",
        ]
    )


def drawn_pdf(content: str) -> bytes:
    """Build a page from the instructions that draw it; `/F1` is Helvetica."""
    reported = content.encode("cp1252")
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
                b" /Resources << /Font << /F1 3 0 R >> >> >>"
            ),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(reported), reported),
            b"<< >>",
        ]
    )


def pdf_bomb(size: int) -> bytes:
    """Build a small PDF whose one page has `size` bytes of instructions."""
    part = b"BT /F1 10 Tf 50 790 Td (tide) Tj ET\n" * 30_000
    squeezer = zlib.compressobj(9)
    packed = b"".join(squeezer.compress(part) for _ in range(size // len(part)))
    packed += squeezer.flush()
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
                b" /Resources << /Font << /F1 3 0 R >> >> >>"
            ),
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
            b"<< >>",
        ]
    )
