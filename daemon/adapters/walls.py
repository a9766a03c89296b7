"""Telling a page's content from what stands in front of it: captchas, consent, errors."""

import re
from urllib.parse import urlsplit

from daemon.ports import Extracted, Fetched

MIN_TEXT = 200  # characters; less than this is a caption, not a page
SHORT = 2500  # characters up to which a text may still be a wall in front of the content
OPENING = 800  # characters in which a wall says what it is

_TITLES = re.compile(
    r"^\W*(?:just a moment|attention required|access (?:to this page has been )?denied|forbidden"
    r"|are you (?:a )?(?:robot|human)|robot check|security check"
    r"|verify(?:ing)? you are (?:a )?human"
    r"|captcha|one more step|(?:error )?(?:401|403|404|410|429|50[0-4])\b|(?:page|site) not found"
    r"|not found$|page unavailable|service unavailable|too many requests|before you continue"
    r"|(?:cookie|privacy) consent|sign in|log in|ddos-guard|pardon our interruption)",
    re.IGNORECASE,
)
_WALLS = (
    (
        "a check for robots",
        re.compile(
            r"captcha|are (?:you )?(?:not )?a robot|verify (?:that )?you(?:'| a)re (?:a )?human"
            r"|checking (?:your browser|if the site connection)|unusual traffic|just a moment\.\.\."
            r"|enable javascript and cookies|press (?:and|&) hold|cloudflare ray id",
            re.IGNORECASE,
        ),
    ),
    (
        "a consent page",
        re.compile(
            r"before you continue to"
            r"|we (?:and our (?:\d+ )?partners )?(?:use|store) (?:and/or access )?cookies"
            r"|(?:accept|reject) all(?: cookies)?\b"
            r"|manage (?:your )?(?:cookie|privacy) (?:settings|preferences|choices)"
            r"|consent to the use of",
            re.IGNORECASE,
        ),
    ),
    (
        "an error page",
        re.compile(
            r"^\W*(?:access denied|403 forbidden|404|page not found|sorry, (?:the|this|that) page"
            r"|the page you (?:requested|are looking for)|bad gateway|service unavailable"
            r"|you don't have permission to access|please enable (?:javascript|js)\b"
            r"|javascript is (?:disabled|required))",
            re.IGNORECASE,
        ),
    ),
)
_WALL_HOSTS = re.compile(
    r"^(?:consent|captcha|geo-captcha|challenges?|validate|login|auth)\.", re.I
)
_WALL_PATHS = re.compile(
    r"/(?:captcha|sorry/index|cookie-?wall|consent|login|signin)(?:[/?.]|$)", re.I
)


def what_stands_before(fetched: Fetched, read: Extracted) -> str:
    """Name what came in place of the content (a captcha, a consent page, an error), or ""."""
    parts = urlsplit(fetched.final_url)
    walled = _WALL_HOSTS.match(parts.hostname or "") or _WALL_PATHS.search(parts.path)
    if walled and len(read.text) < SHORT:
        return "a page in front of the content"
    if read.extracted_by == "trafilatura" and len(read.text) < SHORT:
        if _TITLES.match(read.title):
            return "an error page"
        opening = read.text[:OPENING]
        for what, pattern in _WALLS:
            if pattern.search(opening):
                return what
    return "next to no text" if len(read.text) < MIN_TEXT else ""
