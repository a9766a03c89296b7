"""The owner of a page: the account on a platform on which anybody writes, or else the site."""

import re
from urllib.parse import unquote, urlsplit

from daemon.research.canonical_addresses import canonical_url
from daemon.research.sites import host_of, is_below, site_of

# Platforms that give each account a host of its own.
_BY_HOST = tuple(
    """
    bearblog.dev beehiiv.com blogspot.com ghost.io github.io gitlab.io hashnode.dev herokuapp.com
    hypotheses.org livejournal.com medium.com micro.blog neocities.org netlify.app notion.site
    over-blog.com pages.dev posthaven.com readthedocs.io squarespace.com substack.com tumblr.com
    typepad.com vercel.app web.app webflow.io weebly.com wikidot.com wixsite.com wordpress.com
    write.as
    """.split()  # noqa: SIM905 a list to read and extend
)
_BLOGSPOT = re.compile(r"(?:^|\.)blogspot\.(?:co\.|com\.)?[a-z]{2,3}$")
# Platforms whose accounts are the beginning of the path: how many parts of it, after these words.
_BY_PATH = {
    "bsky.app": 2, "codeberg.org": 1, "dev.to": 1, "facebook.com": 1, "github.com": 1,
    "gitlab.com": 1, "hashnode.com": 1, "huggingface.co": 1, "instagram.com": 1, "kaggle.com": 1,
    "linkedin.com": 2, "medium.com": 1, "patreon.com": 1, "sites.google.com": 2,
    "slideshare.net": 1, "soundcloud.com": 1, "telegra.ph": 1, "threads.net": 1, "twitter.com": 1,
    "vimeo.com": 1, "wattpad.com": 2, "x.com": 1,
}  # fmt: skip
# Platforms whose addresses do not show the owner of a page.
_NAMELESS = (
    "docs.google.com",
    "drive.google.com",
    "pastebin.com",
    "reddit.com",
    "vk.com",
    "youtu.be",
)
_CHANNEL = re.compile(r"/(@[^/]+|(?:c|channel|user)/[^/]+)", re.IGNORECASE)
_HANDLE = re.compile(r"/(@[\w.-]+)(?:/|$)")  # as Mastodon and its like write it, on any host
_TILDE = re.compile(r"/(~[\w.-]+)(?:/|$)")
_PEOPLES = re.compile(
    r"^(?:home|homepages?|homes|members|pages|people|personal|staff|users?|web-?users?|www-users)\."
)


def account_of(url: str) -> str:
    """Return the owner of an address: "medium.com/@ada", "ada.github.io", else its site; or ""."""
    host, site = host_of(url), site_of(url)
    if not host:
        return ""
    path = unquote(urlsplit(url).path).lower()
    host = host.removeprefix("www.")
    is_own = any(host != each and is_below(host, each) for each in _BY_HOST)
    if is_own or (_BLOGSPOT.search(host) and host.count(".") > 1):
        return host
    if is_below(host, "youtube.com"):
        found = _CHANNEL.match(path)
        return f"youtube.com/{found[1]}" if found else canonical_url(url)
    if any(is_below(host, each) for each in _NAMELESS):
        return canonical_url(url)
    if found := _HANDLE.match(path) or _TILDE.match(path):
        return f"{site}/{found[1]}"
    parts = [part for part in path.split("/") if part]
    count = next((count for each, count in _BY_PATH.items() if is_below(host, each)), 0)
    count = count or (1 if _PEOPLES.match(host) else 0)
    return "/".join([site, *parts[:count]]) if count and len(parts) >= count else site


def is_platform(url: str) -> bool:
    """Return whether an address is on a platform, whose name says nothing about the author."""
    return account_of(url) not in ("", site_of(url)) or site_of(url) in _BY_PATH


def are_one_organisation(one: str, other: str) -> bool:
    """Return whether two sites differ only in the country suffix: bbc.com and bbc.co.uk."""
    first, _, its = one.partition(".")
    second, _, theirs = other.partition(".")
    is_country = len(its.rpartition(".")[2]) == 2 or len(theirs.rpartition(".")[2]) == 2
    return first == second and len(first) > 2 and is_country and "/" not in one + other
