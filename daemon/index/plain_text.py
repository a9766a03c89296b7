"""Convert Markdown to the words a reader sees, on one line; for embedding and for snippets."""

import re

# Each mark with its replacement, in this order.
_MARKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"%%.*?%%|<!--.*?-->", re.DOTALL), " "),  # comments
    (re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.MULTILINE), " "),  # fences; the code stays
    (re.compile(r"!?\[\[[^\[\]|]*\|([^\[\]]*)\]\]"), r"\1"),  # [[target|shown]]
    (re.compile(r"!?\[\[([^\[\]]*)\]\]"), r"\1"),
    (re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)"), r"\1"),  # [shown](url)
    (re.compile(r"</?[a-zA-Z][^<>]{0,300}>"), " "),
    (re.compile(r"^[ \t]*(?:>[ \t]?)+(?:\[![\w-]+\][+-]?)?", re.MULTILINE), ""),  # quotes, callouts
    (re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?", re.MULTILINE), ""),  # items
    (re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^[ \t|:-]*$", re.MULTILINE), " "),  # rules, and the second row of tables
    (
        re.compile(r"(?<!\w)(?:\*{1,3}|_{1,3}|~~|==)(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|~~|==)(?!\w)"),
        "",
    ),
    (re.compile(r"`+"), ""),
    (re.compile(r"[ \t]\^[\w-]+[ \t]*$", re.MULTILINE), ""),  # block ids
)
_SPACE = re.compile(r"\s+")


def plain(markdown: str) -> str:
    """Return what a reader sees of `markdown`, on one line; never raises, for any content."""
    for mark, rest in _MARKS:
        markdown = mark.sub(rest, markdown)
    return _SPACE.sub(" ", markdown).strip()
