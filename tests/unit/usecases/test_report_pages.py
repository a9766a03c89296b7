"""A report outside of the vault: a page that does nothing, and a PDF."""

from io import BytesIO

import pypdfium2
import pytest

from daemon.faces.web.report_page import as_page
from daemon.usecases.report_pages import page_text
from tests.fakes.poison import NOTES, PAYLOADS

NOTE = """---
type: report
---
# Report: Bread & starch

1. “Stale \\[1\\] bread.” ([1](https://example.org/a#:~:text=x)) → [[Inbox/Bread|Bread]]

- [ ] Re-evaluate: [[Starch]]

| Value | Statement |
| --- | --- |
| 60 °C | #panic("no") \\*text\\* |

## Review

- [ ] Accept
"""


def test_a_page_has_the_text_and_neither_properties_nor_review() -> None:
    page = as_page(NOTE)
    assert "<h1>Report: Bread &amp; starch</h1>" in page
    assert "→ Bread</li>" in page
    assert "☐ Re-evaluate: Starch" in page
    assert "<td>60 °C</td>" in page
    assert 'href="https://example.org/a#:~:text=x"' in page
    for gone in ("[[", "type: report", "Accept"):
        assert gone not in page


@pytest.mark.parametrize("payload", [each for its in PAYLOADS.values() for each in its])
def test_hostile_text_does_nothing_in_a_page(payload: str) -> None:
    page = as_page(NOTES["report"](payload)).partition("<body>")[2].casefold()
    for live in ("<script", "<iframe", "<img", "<svg", "<style", "javascript:", "obsidian:"):
        assert f"{live}" not in page.replace("&lt;", "") or live.endswith(":")
    assert 'href="javascript' not in page
    assert 'href="obsidian' not in page


def test_an_address_of_a_file_is_text_in_what_leaves_the_vault() -> None:
    note = "# A\n\n[shared](file://host.example/share) and [here](file:///home/a.pdf)\n"
    page = as_page(note)
    assert "shared" in page
    assert "file:" not in page
    pdf = pytest.importorskip("daemon.usecases.report_pdf", reason="Typst is optional")
    assert b"/URI" in pdf.as_pdf("# A\n\n[b](https://example.org/)\n")
    assert b"/URI" not in pdf.as_pdf(note)


def test_a_pdf_shows_the_text() -> None:
    pdf = pytest.importorskip("daemon.usecases.report_pdf", reason="Typst is optional")
    for text in (NOTE, NOTES["report"]('"] #panic("x") \\ #read("/etc/passwd") $x$ @y')):
        made = pypdfium2.PdfDocument(BytesIO(pdf.as_pdf(text)))
        shown = "".join(page.get_textpage().get_text_bounded() for page in made)
        assert "Report" in shown
    assert "☐ Re-evaluate: Starch" in page_text(NOTE)
