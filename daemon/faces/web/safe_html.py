"""Notes as HTML that can do nothing: no scripts, no images, no addresses but those of the web."""

import re

import nh3
from markdown_it import MarkdownIt

_FRONTMATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li"),
    *("strong", "em", "code", "pre", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def as_html(note: str) -> str:
    """Return a note without its properties as HTML that is safe to show."""
    return nh3.clean(
        _PARSER.render(_FRONTMATTER.sub("", note)),
        tags=_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
    )
