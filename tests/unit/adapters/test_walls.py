"""Captchas, consent pages, paywalls and errors are not content; articles about them are."""

import pytest

from daemon.adapters.extract import extracted
from daemon.adapters.extract_html import extract_html
from daemon.adapters.walls import wall_in
from daemon.model.errors import ExtractError
from daemon.ports import Extracted
from tests.fakes.walls import ARTICLES, WALLS

ARTICLE = "The tide turns twice a day, because the earth turns below two swellings. " * 10


def stated(text: str, *, title: str = "", url: str = "https://example.com/a", by: str = "") -> str:
    read = Extracted(text, by or "trafilatura", title)
    return wall_in(url, read, is_page=read.extracted_by == "trafilatura")


def came(html: str) -> str:
    """Name the wall that a whole page is, as the child that reads it and this process see it."""
    url = "https://example.com/a"
    try:
        read = extracted(extract_html(html.encode(), content_type="text/html; charset=utf-8"))
    except ExtractError as error:
        return str(error)
    return wall_in(url, read, is_page=read.extracted_by == "trafilatura")


@pytest.mark.parametrize(
    "title",
    [
        "Just a moment...",
        "Attention Required! | Cloudflare",
        "Access Denied",
        "Access to this page has been denied",
        "Are you a robot?",
        "Robot Check",
        "404 Not Found",
        "Error 503",
        "Page not found - The Sea",
        "Before you continue to Google Search",
        "Sign in",
        "Pardon Our Interruption",
    ],
)
def test_a_title_gives_an_error_page_away(title: str) -> None:
    assert stated(ARTICLE, title=title)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Please verify you are a human to go on. ", "bot check"),
        ("Our systems have detected unusual traffic from your network. ", "bot check"),
        ("Checking your browser before accessing the site. ", "bot check"),
        ("We and our 842 partners store and/or access cookies. Accept all ", "consent"),
        ("Before you continue to YouTube ", "consent"),
        ("Access Denied. You don't have permission to access this. ", "error"),
        ("Sorry, this page is not available any more. ", "error"),
        ("Please enable JavaScript to view the page. ", "error"),
    ],
)
def test_a_short_text_that_opens_like_a_wall_is_one(text: str, what: str) -> None:
    assert what in stated(text + ARTICLE[:400])


@pytest.mark.parametrize(
    "url",
    [
        "https://consent.yahoo.com/v2/collectConsent?sessionId=1",
        "https://www.google.com/sorry/index?continue=x",
        "https://example.com/captcha/?r=1",
        "https://login.publisher.com/",
    ],
)
def test_an_address_gives_a_wall_away(url: str) -> None:
    assert stated(ARTICLE, url=url)


@pytest.mark.parametrize("text", ["", "Tide.", "Home, about, posts."])
def test_next_to_no_text_is_no_content(text: str) -> None:
    assert stated(text) == "almost no text"
    assert stated(text, by="pdfium") == "almost no text"


@pytest.mark.parametrize("name", WALLS)
def test_a_page_in_front_of_a_page_is_not_taken_for_content(name: str) -> None:
    assert came(WALLS[name])


@pytest.mark.parametrize("name", ARTICLES)
def test_a_page_that_only_looks_like_a_wall_is_content(name: str) -> None:
    assert came(ARTICLES[name]) == ""


def test_a_wall_is_named_by_what_it_wants() -> None:
    reported = {name: came(html) for name, html in WALLS.items()}
    named = {"paywall": "a paywall", "consent": "a consent page", "login": "a login page"}
    for kind, what in named.items():
        assert {stated for name, stated in reported.items() if name.startswith(f"{kind}:")} == {
            what
        }


def test_a_long_text_is_content_whatever_it_asks_for() -> None:
    asks = "Subscribe to continue reading. Accept all cookies. Are you a robot? "
    assert stated(asks + ARTICLE * 4, title="Just a moment...") == ""


def test_characters_that_are_whole_words_count_as_such() -> None:
    assert stated("潮汐是海水的周期性运动。" * 8) == ""
    assert stated("潮汐。") == "almost no text"


def test_an_article_about_captchas_is_content() -> None:
    about = "The captcha was invented to tell a robot from a person. " * 60
    assert stated(about, title="A history of the captcha") == ""
    assert stated("A captcha asks: are you a robot? " * 20, by="pdfium") == ""


def test_an_ordinary_article_is_content() -> None:
    assert stated(ARTICLE, title="Tides") == ""
    assert stated(ARTICLE, title="404 days at sea", by="markdown") == ""
