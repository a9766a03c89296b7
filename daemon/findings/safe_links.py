"""Make untrusted addresses and names safe for a note."""

import re
from urllib.parse import quote, urlsplit

from daemon.model.evidence import Document, Hit, SourceType
from vault_adapters.inert import inert_line

KINDS = {
    SourceType.PAPER: "paper",
    SourceType.PREPRINT: "preprint",
    SourceType.WEB: "web page",
    SourceType.NEWS: "news article",
    SourceType.LIBRARY: "document from your library",
}
_SCHEMES = ("http", "https", "file")
_URL_SAFE = "/?#@!$&'+,;=:-._~"  # no brackets, no angles, nothing an editor reads as markup
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_MAX_URL_LENGTH = 2000
_FRAGMENT_WORDS = 4
_AUTHORS = 3


def safe_url(url: str) -> str | None:
    """Return `url` with everything but plain URL characters percent-encoded.

    None if it is not an http(s) or file address and must not become a link.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    has_place = (parts.netloc and "[" not in parts.netloc) or (
        parts.scheme == "file" and parts.path
    )
    if parts.scheme not in _SCHEMES or not has_place or len(url) > _MAX_URL_LENGTH:
        return None
    encoded = quote(_LONE_PERCENT.sub("%25", url), safe=_URL_SAFE + "%", errors="replace")
    return encoded.replace("::", ":%3A").replace("$", "%24").replace("==", "=%3D")


def outside_link(text: str, url: str) -> str:
    """Return a Markdown link out of the vault; only the text if the address is not safe."""
    safe = safe_url(url)
    label = inert_line(text) or "untitled"
    return f"[{label}]({safe})" if safe else label


def place_of(quoted: str, document: Document) -> str | None:
    """Return an address that opens a web page at the quoted words, or None for other pages.

    Browsers scroll to a text fragment if they find it, and otherwise just open the page.
    """
    page = document.hit.url if document.extracted_by == "abstract" else document.final_url
    safe = safe_url(page)
    if safe is None or not safe.startswith("http") or document.extracted_by == "pdfium":
        return None
    words = quoted.split()
    first, last = words[:_FRAGMENT_WORDS], words[_FRAGMENT_WORDS:][-_FRAGMENT_WORDS:]
    ends = ",".join(_fragment(" ".join(end)) for end in (first, last) if end)
    return f"{safe.partition('#')[0]}#:~:text={ends}"


def credit(hit: Hit) -> str:
    """Return the author of a statement in a few words: authors and year, else the site, else the
    title.
    """
    year = hit.published[:4] if hit.published[:4].isdigit() else ""
    host = urlsplit(safe_url(hit.url) or "").hostname or ""
    who = by_line(hit, most=2) or host.removeprefix("www.")
    who = who or name_of(hit) or hit.source
    dated = f" ({year})" if who.endswith(("?", "!")) else f", {year}"
    return inert_line(f"{who}{dated}" if year else who)


def name_of(hit: Hit) -> str:
    """Return a document's title, with its book or site if it has no author. Not inert yet."""
    venue = " ".join(hit.venue.split())
    has_new_venue = (
        venue and hit.title and not hit.authors and venue.casefold() not in hit.title.casefold()
    )
    return f"{hit.title} — {venue}" if has_new_venue else hit.title


def by_line(hit: Hit, most: int = _AUTHORS) -> str:
    """Join the authors' names, "and others" for those beyond `most`. Not inert yet."""
    names = [" ".join(name.split()) for name in hit.authors if name.strip()]
    if len(names) > most:
        return f"{', '.join(names[: most - 1] or names[:1])} and others"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _fragment(words: str) -> str:
    return quote(words, safe="", errors="replace").replace("-", "%2D")
