"""Main text and PDFs, measured on pages and papers that other people made."""

import gzip
import json
import os
import re
import statistics
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import trafilatura

from bench.page_kinds import pages_by_kind, word_f1
from daemon.adapters.extract import extracted
from daemon.adapters.extract_html import extract_html
from daemon.adapters.extract_pdf import extract_pdf
from daemon.adapters.walls import wall_in
from daemon.model.errors import ExtractError
from daemon.ports import Extracted

DATA = Path(__file__).resolve().parents[2] / "../shared/data"
PAGES = DATA / "html/article_extraction_benchmark"
PDFS = DATA / "pdf"
CAPTCHAS = DATA / "api/serp_html_openserp"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not here")
KINDS = DATA / "html/wcxb_dev"
LONG = os.environ.get("LACUNA_LONG_TESTS") == "1"
LEAST_F1 = 0.955
LEAST_GAIN = 0.04  # of F1 over trafilatura alone, on pages of all kinds; measured: 0.08


@pytest.mark.timeout(600)
def test_the_main_text_of_the_benchmarks_pages_is_found() -> None:
    shares = [_shares(page["articleBody"], _text(name)) for name, page in _truth().items()]
    precision = sum(_ratio(right, right + wrong) for right, wrong, _ in shares) / len(shares)
    recall = sum(_ratio(right, right + missed) for right, _, missed in shares) / len(shares)
    f1 = 2 * precision * recall / (precision + recall)
    assert f1 >= LEAST_F1, f"precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}"


@pytest.mark.timeout(600)
@pytest.mark.long(17)
def test_pages_of_all_kinds_are_read_better_than_by_trafilatura_alone() -> None:
    ours, plain = [], []
    for page in list(pages_by_kind(KINDS))[:: 1 if LONG else 18]:
        text = page.body.decode("utf-8", "replace")
        plain.append(word_f1(trafilatura.extract(text) or "", page.truth))
        ours.append(word_f1(_text_of(page.body), page.truth))
    assert statistics.mean(ours) >= statistics.mean(plain) + LEAST_GAIN


@pytest.mark.timeout(600)
def test_only_articles_that_end_at_a_wall_are_taken_for_walls() -> None:
    walls = {name: wall for name in _truth() if (wall := _wall(name))}
    assert set(walls.values()) <= {"a paywall"}
    assert {name[:8] for name in walls} == {"042bb7b5", "7ab16ade"}  # both teasers of WSJ


@pytest.mark.parametrize(
    "path", sorted(CAPTCHAS.rglob("*captcha*.html")), ids=lambda p: p.parts[-3]
)
def test_checks_for_robots_of_search_engines_are_not_content(path: Path) -> None:
    read = extracted(extract_html(path.read_bytes(), content_type="text/html; charset=utf-8"))
    assert wall_in("https://search.example/", read, is_page=True)


def _text(name: str) -> str:
    read = _read(name)
    return read.text if read else ""


def _wall(name: str) -> str:
    read = _read(name)
    return wall_in("https://page.example/", read, is_page=True) if read else ""


@cache
def _read(name: str) -> Extracted | None:
    body = gzip.decompress((PAGES / "html" / f"{name}.html.gz").read_bytes())
    try:
        return extracted(extract_html(body, content_type="text/html"))
    except ExtractError:
        return None


def _text_of(body: bytes) -> str:
    try:
        return str(extract_html(body, content_type="text/html")["text"])
    except ExtractError:
        return ""


@cache
def _truth() -> dict[str, dict[str, str]]:
    """The benchmark's pages; a sixth of them, and both that end at a wall, in the short form."""
    found: dict[str, dict[str, str]] = json.loads((PAGES / "ground-truth.json").read_text("utf-8"))
    names = sorted(found)
    chosen = names if LONG else names[::6]
    chosen += [name for name in names if name.startswith(("042bb7b5", "7ab16ade"))]
    return {name: found[name] for name in chosen}


def _shares(expected: str, found: str) -> tuple[int, int, int]:
    """Count runs of four words: found and right, found and wrong, missed."""
    wanted, got = _runs(expected), _runs(found)
    return (wanted & got).total(), (got - wanted).total(), (wanted - got).total()


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3)))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


@pytest.mark.parametrize(
    ("path", "passage"),
    [
        (
            "pypdf_samples/026-latex-multicolumn/multicolumn.pdf",
            "consectetuer adipiscing elit. Ut purus elit, vestibulum ut, placerat ac, adipiscing",
        ),
        (
            "pypdf_samples/004-pdflatex-4-pages/pdflatex-4-pages.pdf",
            "This text should show what a printed text will look like at this place.",
        ),
        (
            "paperqa/tests/stub_data/pasa.pdf",
            "a novel paper search agent designed to mimic human behavior for comprehensive",
        ),
        (
            "paperqa/tests/stub_data/paper.pdf",
            "the explanations should give insight into the underlying mechanism.",
        ),
        (
            "pypdf_samples/009-pdflatex-geotopo/GeoTopo-komprimiert.pdf",
            "Dieses Skript wurde im Wintersemester 2013/2014 von Martin Thoma geschrieben.",
        ),
    ],
)
def test_sentences_of_real_pdfs_are_extracted_whole(path: str, passage: str) -> None:
    assert passage in extract_pdf((PDFS / path).read_bytes())["text"]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("005-libreoffice-writer-password/libreoffice-writer-password.pdf", "encrypted"),
        ("007-imagemagick-images/imagemagick-images.pdf", r"only pictures \(6 pages\)"),
        ("019-grayscale-image/grayscale-image.pdf", r"only pictures \(1 page\)"),
        ("017-unreadable-meta-data/unreadablemetadata.pdf", "broken"),
        ("009-pdflatex-geotopo/GeoTopo.pdf", "empty"),
    ],
)
def test_a_pdf_without_extractable_text_is_reported_with_the_reason(path: str, why: str) -> None:
    with pytest.raises(ExtractError, match=why):
        extract_pdf((PDFS / "pypdf_samples" / path).read_bytes())
