"""Detect pages that show only the beginning of a paid text."""

import re

from lxml.html import HtmlElement

from daemon.adapters.wall_words import is_payment_request

TEASER = 1500  # characters; a longer text is content, whatever else the page asks for
ENDING = 300  # characters in which a teaser's text may itself ask for payment
MAX_SEARCHED = 200_000  # characters of a page that are searched
MAX_CLASS_LENGTH = 500  # characters of a class
_NOT_FREE = re.compile(r'"isAccessibleForFree"\s*:\s*"?false', re.IGNORECASE)
_CUT = re.compile(r"(?:\.\.\.|…)\s*(?:\[\+?\d* ?\w*\]|read more|continue)?\W*$", re.IGNORECASE)
_GATE = re.compile(
    r"paywall|reg-?wall|subscription-?wall|sign-?in-?wall|subscribers?-only|premium-content"
    r"|metered-content|piano-(?:inline|offer)",
    re.IGNORECASE,
)


def is_marked_not_free(tree: HtmlElement) -> bool:
    """Return whether a page declares itself not free: to search engines, or by names of its parts.

    Call before scripts and hidden parts are removed from it.
    """
    scripts = tree.xpath('//script[contains(@type, "ld+json")]')
    if any(_NOT_FREE.search((script.text or "")[:MAX_SEARCHED]) for script in scripts):
        return True
    return any(_GATE.search(name[:MAX_CLASS_LENGTH]) for name in tree.xpath("//*/@class | //*/@id"))


def is_teaser(tree: HtmlElement, text: str, *, not_free: bool) -> bool:
    """Return whether `text`, taken from the page `tree`, is only the beginning of the whole.

    It is short, and the page either asks for payment, or declares itself not free and breaks off.
    """
    if len(text) > TEASER:
        return False
    if not_free and _CUT.search(text[-200:]):
        return True
    return is_payment_request(text[-ENDING:]) or is_payment_request(_around(tree, text))


def _around(tree: HtmlElement, text: str) -> str:
    """Return the page's text without its main text, which may mention paywalls."""
    page = " ".join(tree.text_content().split())[:MAX_SEARCHED]
    for line in text.split("\n"):
        page = page.replace(" ".join(line.split()), " ", 1)
    return page
