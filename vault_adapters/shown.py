"""The one parser of notes for who is shown them outside of an editor: pages, files, speech."""

from collections.abc import Callable

from markdown_it import MarkdownIt


def parser_for_readers(is_link: Callable[[str], bool]) -> MarkdownIt:
    """Return a parser of CommonMark with tables, in which HTML is text and images are links.

    An address that `is_link` refuses stays text.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.validateLink = is_link  # type: ignore[method-assign, assignment]
    return parser
