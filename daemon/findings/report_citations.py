"""How a report cites: quotes with the number of their source and a link to their place. Pure."""

from collections.abc import Sequence

from daemon.findings.safe_links import credit, place_of, safe_url
from daemon.language.stop_words import is_stop_word
from daemon.model.finding import FindingSource, NoteLine, Quote
from daemon.model.report import Said
from vault_adapters.inert import inert_line
from vault_adapters.wikilink import Linker

_MAX_WORDS = 8  # of a title in a sentence


class Citations:
    """The numbers of the sources of one report."""

    def __init__(self, sources: Sequence[FindingSource], link: Linker) -> None:
        self._numbers = {each.document.id: place for place, each in enumerate(sources, 1)}
        self._link = link

    def author(self, said: Said) -> str:
        """Return who states something: authors and year, the site or title; or the note."""
        if isinstance(said, NoteLine):
            return self._link(said.path)
        return _short(credit(said.document.hit))

    def quoted(self, said: Said) -> str:
        """Return a statement in quotation marks, with its citation."""
        if isinstance(said, NoteLine):
            return f"“{inert_line(said.text)}” {self.mark(said)}"
        return f"“{inert_line(said.passage.text)}” {self.mark(said)}"

    def mark(self, said: Said) -> str:
        """Return the citation of a statement: its note, or the number of its source."""
        return f"({self._link(said.path)})" if isinstance(said, NoteLine) else self._mark(said)

    def dated(self, said: Said) -> str:
        """Return when the source of a statement was published, or ""."""
        return "" if isinstance(said, NoteLine) else inert_line(said.document.hit.published)

    def _mark(self, quote: Quote) -> str:
        """Return the number of the source as a link to the place, with its page or chapter."""
        document = quote.document
        number = str(self._numbers.get(document.id, "?"))
        url = place_of(quote.passage.text, document) or safe_url(document.hit.url)
        place = document.place_at(quote.passage.start)
        shown = f"[{number}]({url})" if url else number
        return f"({shown}{f', {inert_line(place)}' if place else ''})"


def _short(name: str) -> str:
    """Return a name for use in a sentence: a long title is shortened."""
    words = name.split()
    if len(words) <= _MAX_WORDS + 1:
        return name
    kept = words[:_MAX_WORDS]
    while len(kept) > 1 and is_stop_word(kept[-1]):
        kept.pop()
    return f"{' '.join(kept).rstrip(',;:–—- ')} …"
