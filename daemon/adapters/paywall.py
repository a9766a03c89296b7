"""Whether a page shows only the beginning of what it wants to be paid for."""

import re

from lxml.html import HtmlElement

from daemon.adapters.wall_words import asks_to_pay

TEASER = 1500  # characters; what is longer is read as content, whatever it asks for besides
ENDING = 300  # characters in which a teaser's text may itself ask
MOST = 200_000  # characters of a page that are looked at
MOST_NAME = 500  # characters of a class
_NOT_FREE = re.compile(r'"isAccessibleForFree"\s*:\s*"?false', re.IGNORECASE)
_CUT = re.compile(r"(?:\.\.\.|…)\s*(?:\[\+?\d* ?\w*\]|read more|continue)?\W*$", re.IGNORECASE)
_GATE = re.compile(
    r"paywall|reg-?wall|subscription-?wall|sign-?in-?wall|subscribers?-only|premium-content"
    r"|metered-content|piano-(?:inline|offer)",
    re.IGNORECASE,
)


def says_not_free(tree: HtmlElement) -> bool:
    """Whether a page says that it is not free: to search engines, or by what it names its parts.

    To be asked before scripts and what is hidden are taken out of it.
    """
    scripts = tree.xpath('//script[contains(@type, "ld+json")]')
    if any(_NOT_FREE.search((script.text or "")[:MOST]) for script in scripts):
        return True
    return any(_GATE.search(name[:MOST_NAME]) for name in tree.xpath("//*/@class | //*/@id"))


def is_teaser(tree: HtmlElement, text: str, *, not_free: bool) -> bool:
    """Whether `text`, taken from the page `tree`, is but the beginning of what there is.

    It is short, and either the page asks to be paid for the rest, or it says that it is not free
    and breaks off.
    """
    if len(text) > TEASER:
        return False
    if not_free and _CUT.search(text[-200:]):
        return True
    return asks_to_pay(text[-ENDING:]) or asks_to_pay(_around(tree, text))


def _around(tree: HtmlElement, text: str) -> str:
    """What the page says besides its main text, which may speak of paywalls as it likes."""
    page = " ".join(tree.text_content().split())[:MOST]
    for line in text.split("\n"):
        page = page.replace(" ".join(line.split()), " ", 1)
    return page
