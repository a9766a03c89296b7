"""The extractor and its child, which may crash, hang, starve or be killed without harm."""

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.adapters.extract import ChildExtractor, ExtractorDiedError, kind_of
from daemon.model.errors import ExtractError, StoppedError
from tests.fakes.children import is_reaped
from tests.fakes.pdf import make_pdf, pdf_bomb

SENTENCE = "The tide turns twice a day, because the earth turns below the sea. "
PAGE = f"<html><title>Tides</title><body><article><p>{SENTENCE * 8}</p></article></body></html>"
HUGE = ("<html><body>" + f"<div><p>{SENTENCE}</p></div>" * 150_000 + "</body></html>").encode()


@pytest.fixture
def extractor() -> Iterator[ChildExtractor]:
    made = ChildExtractor(timeout=60)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("body", "content_type", "url", "kind"),
    [
        (b"%PDF-1.7 ...", "text/html", "http://x/", "pdf"),
        (b"\n\n%PDF-1.4", "", "", "pdf"),
        (b"<p>x", "text/html; charset=utf-8", "", "html"),
        (b"<p>x", "application/xhtml+xml", "", "html"),
        (b"<!DOCTYPE html><p>x", "application/octet-stream", "", "html"),
        (b" <html><p>x", "", "http://x/page", "html"),
        (b"# x", "text/plain", "https://x/README.md", "markdown"),
        (b"# x", "text/markdown", "", "markdown"),
        (b"x", "text/plain", "", "text"),
        (b"x", "", "file:///a/My%20File.TXT", "text"),
        (b"x", "", "file:///a/b.md?c#d", "markdown"),
    ],
)
def test_the_document_type_is_detected_from_bytes_then_content_type_then_name(
    body: bytes, content_type: str, url: str, kind: str
) -> None:
    assert kind_of(body, content_type=content_type, url=url) == kind


@pytest.mark.parametrize("content_type", ["image/png", "application/zip", "video/mp4", ""])
def test_binary_content_is_refused_with_an_explanation(content_type: str) -> None:
    with pytest.raises(ExtractError, match="cannot read"):
        kind_of(b"\x89PNG", content_type=content_type, url="http://x/picture")


def test_every_kind_comes_through_the_same_door(extractor: ChildExtractor) -> None:
    ways = [
        extractor.extract(PAGE.encode(), content_type="text/html", url=""),
        extractor.extract(make_pdf([[SENTENCE]]), content_type="application/pdf", url=""),
        extractor.extract(b"# Tides\n\nText.", content_type="text/markdown", url=""),
        extractor.extract(b"Text.", content_type="text/plain", url=""),
    ]
    assert [read.extracted_by for read in ways] == ["trafilatura", "pdfium", "markdown", "text"]
    assert all(read.text for read in ways)


def test_one_child_serves_many_documents_of_every_kind(extractor: ChildExtractor) -> None:
    assert extractor.child_pid is None
    extractor.extract(b"Text.", content_type="text/plain", url="")
    first = extractor.child_pid
    extractor.extract(b"# Text", content_type="text/markdown", url="")
    extractor.extract(PAGE.encode(), content_type="text/html", url="")
    assert extractor.child_pid == first is not None


def test_the_reason_comes_back_in_words(extractor: ChildExtractor) -> None:
    with pytest.raises(ExtractError, match="the PDF is broken"):
        extractor.extract(b"%PDF-1.7 garbage", content_type="application/pdf", url="")
    with pytest.raises(ExtractError, match="only pictures"):
        extractor.extract(make_pdf([[]]), content_type="application/pdf", url="")
    assert extractor.child_pid is not None


def test_a_killed_child_is_replaced(extractor: ChildExtractor) -> None:
    extractor.extract(PAGE.encode(), content_type="text/html", url="")
    killed = extractor.child_pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    assert "tide" in extractor.extract(PAGE.encode(), content_type="text/html", url="").text
    assert extractor.child_pid not in (None, killed)


def test_a_child_that_is_killed_in_the_middle_of_a_document_leaves_it_to_the_next(
    extractor: ChildExtractor,
) -> None:
    extractor.extract(PAGE.encode(), content_type="text/html", url="")
    killed = extractor.child_pid
    assert killed is not None
    os.kill(killed, signal.SIGSTOP)  # it takes the document, and does nothing with it
    read: list[str] = []

    def work() -> None:
        read.append(extractor.extract(PAGE.encode(), content_type="text/html", url="").title)

    thread = threading.Thread(target=work)
    thread.start()
    os.kill(killed, signal.SIGKILL)
    thread.join(60)
    assert read == ["Tides"]
    assert extractor.child_pid not in (None, killed)


def test_a_child_that_hangs_is_ended_and_the_next_document_is_read(
    extractor: ChildExtractor,
) -> None:
    extractor.extract(PAGE.encode(), content_type="text/html", url="")
    hung = extractor.child_pid
    assert hung is not None
    os.kill(hung, signal.SIGSTOP)
    extractor._timeout = 0.05
    with pytest.raises(ExtractorDiedError, match="took longer than"):
        extractor.extract(PAGE.encode(), content_type="text/html", url="")
    extractor._timeout = 60
    assert extractor.extract(PAGE.encode(), content_type="text/html", url="").title == "Tides"


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no limit on address space")
def test_a_pdf_that_is_a_bomb_costs_its_child_and_no_more() -> None:
    extractor = ChildExtractor(timeout=60, memory=250_000_000)
    bomb = pdf_bomb(300_000_000)
    assert len(bomb) < 2_000_000
    try:
        with pytest.raises(ExtractError):
            extractor.extract(bomb, content_type="application/pdf", url="")
        assert extractor.extract(PAGE.encode(), content_type="text/html", url="").title == "Tides"
    finally:
        extractor.close()


def test_a_document_that_takes_too_long_is_given_up_and_the_next_one_is_read() -> None:
    extractor = ChildExtractor(timeout=0.05)
    try:
        with pytest.raises(ExtractorDiedError, match="took longer than"):
            extractor.extract(HUGE, content_type="text/html", url="")
        assert extractor.child_pid is None
        extractor._timeout = 60
        assert extractor.extract(PAGE.encode(), content_type="text/html", url="").title == "Tides"
    finally:
        extractor.close()


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no limit on address space")
def test_a_document_that_needs_too_much_memory_is_given_up() -> None:
    extractor = ChildExtractor(timeout=60, memory=220_000_000)
    try:
        with pytest.raises(ExtractError, match=r"memory|too much|crashed|could not be read|empty"):
            extractor.extract(HUGE, content_type="text/html", url="")
        assert extractor.extract(PAGE.encode(), content_type="text/html", url="").title == "Tides"
    finally:
        extractor.close()


def test_the_child_ends_when_it_is_idle_and_comes_back_when_it_is_needed() -> None:
    extractor = ChildExtractor(idle_seconds=0.3)
    try:
        extractor.extract(PAGE.encode(), content_type="text/html", url="")
        assert extractor._child is not None
        extractor._child.waiter.join(30)
        assert extractor.child_pid is None
        assert extractor.extract(PAGE.encode(), content_type="text/html", url="").title == "Tides"
    finally:
        extractor.close()


def test_the_child_ends_when_its_parent_does(extractor: ChildExtractor) -> None:
    extractor.extract(PAGE.encode(), content_type="text/html", url="")
    child = extractor._child
    assert child is not None
    assert child._process.stdin is not None
    child._process.stdin.close()
    assert child._process.wait(timeout=30) == 0


def test_a_child_that_went_idle_leaves_no_zombie() -> None:
    extractor = ChildExtractor(idle_seconds=0.3)
    try:
        extractor.extract(PAGE.encode(), content_type="text/html", url="")
        child = extractor._child
        assert child is not None
        assert is_reaped(child.pid)
    finally:
        extractor.close()


def test_closing_ends_the_child_and_may_be_done_twice(extractor: ChildExtractor) -> None:
    extractor.extract(PAGE.encode(), content_type="text/html", url="")
    child = extractor._child
    extractor.close()
    extractor.close()
    assert child is not None
    assert not child.is_alive


def test_threads_take_turns(extractor: ChildExtractor) -> None:
    read: list[str] = []

    def work(number: int) -> None:
        page = PAGE.replace("Tides", f"Tides {number}").encode()
        read.append(extractor.extract(page, content_type="text/html", url="").title)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(read) == [f"Tides {number}" for number in range(6)]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_the_child_is_not_given_the_users_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LACUNA_BRAVE_API_KEY", "hush")
    extractor = ChildExtractor()
    try:
        extractor.extract(PAGE.encode(), content_type="text/html", url="")
        environment = Path(f"/proc/{extractor.child_pid}/environ").read_bytes()
        assert b"hush" not in environment
        assert b"PATH=" in environment
    finally:
        extractor.close()


def test_the_worker_answers_whatever_breaks_it_in_one_line() -> None:
    from daemon.adapters.extract_worker import answer

    for kind, body in (("html", b"\x00" * 50), ("pdf", b"%PDF")):
        reported = answer({"kind": kind, "content_type": ""}, body)
        assert list(reported) == ["error"]
        assert "\n" not in json.dumps(reported)
    nested = b"<div>" * 5000 + SENTENCE.encode() * 20
    assert set(answer({"kind": "html", "content_type": ""}, nested)) & {"error", "text"}


HOSTILE_FEED = b"<rss " + b" ".join(b'a%d=""' % number for number in range(60_000)) + b"></rss>"


def test_a_feed_that_takes_forever_is_given_up_and_holds_up_no_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daemon.adapters.extract._RECORDS", 0.3)
    extractor = ChildExtractor()

    async def both() -> tuple[int, object]:
        reading = asyncio.ensure_future(asyncio.to_thread(extractor.records, HOSTILE_FEED, "feed"))
        turns = 0
        while not reading.done():
            await asyncio.sleep(0.01)
            turns += 1
        return turns, reading.exception()

    try:
        extractor.unconfined()  # the child is there
        turns, trouble = asyncio.run(both())
        assert turns > 3
        assert "longer than 0.3 s" in str(trouble)
        feed = b"<rss version='2.0'><channel><item><title>A</title></item></channel></rss>"
        monkeypatch.setattr("daemon.adapters.extract._RECORDS", 60.0)
        assert [each.text("title") for each in extractor.records(feed, "feed")] == ["A"]
    finally:
        extractor.close()


@pytest.mark.parametrize("form", ["arxiv", "pubmed numbers", "pubmed articles"])
def test_xml_of_a_service_that_takes_forever_is_given_up(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.adapters.extract._RECORDS", 0.05)
    extractor = ChildExtractor()
    hostile = b"<a>" + b"<b c='d'/>" * 1_000_000 + b"</a>"
    try:
        extractor.unconfined()  # the child is there
        with pytest.raises(ExtractorDiedError, match=r"longer than 0.05 s"):
            extractor.records(hostile, form)
    finally:
        extractor.close()


LOST = "print('{\"unconfined\": []}', flush=True); import sys; sys.stdin.buffer.readline()"


@pytest.mark.parametrize(
    "answer",
    [
        "print('no JSON')",
        "print('[' * 100_000)",
        "print('9' * 100_000)",
        "print('[1]')",
        "print('{}')",
        'print(\'{"text": "t", "extracted_by": "x", "places": [1]}\')',
        'print(\'{"text": "t", "extracted_by": "x", "hidden": 1e999}\')',
        'print(json.dumps({"text": "x" * 100_000, "extracted_by": "x", "records": []}))',
    ],
)
def test_a_child_that_is_lost_to_what_it_reads_is_a_document_that_cannot_be_read(
    answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = [sys.executable, "-c", f"import json; {LOST}; {answer}"]
    monkeypatch.setattr("daemon.adapters.json_child.command", lambda *_: child)
    monkeypatch.setattr("daemon.adapters.json_child.MAX_ANSWER_BYTES", 50_000)
    extractor = ChildExtractor()
    try:
        with pytest.raises(ExtractorDiedError):
            extractor.extract(b"Bees dance.", content_type="text/plain", url="")
        with pytest.raises(ExtractorDiedError):
            extractor.records(b"<rss/>", "feed")
    finally:
        extractor.close()


HANGS = "import sys; print('{\"unconfined\": []}', flush=True); sys.stdin.buffer.read()"


def test_an_interruption_ends_the_reading_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    child = [sys.executable, "-c", HANGS]
    monkeypatch.setattr("daemon.adapters.json_child.command", lambda *_: child)
    extractor = ChildExtractor(timeout=600)
    raised: list[BaseException] = []

    def read() -> None:
        try:
            extractor.extract(b"<p>Bees dance.</p>", content_type="text/html", url="")
        except StoppedError as error:
            raised.append(error)

    reading = threading.Thread(target=read)
    reading.start()
    extractor.interrupt()
    reading.join(60)
    assert len(raised) == 1
    extractor.close()
