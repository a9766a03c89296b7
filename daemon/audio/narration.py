"""Lines of a script from paragraphs: who speaks, what is introduced how, and what was said before.

A narrator says what is ours, a reader reads quotes. Sources are introduced by name: "According to
…"; no address and no table is read.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from daemon.audio.outline import Paragraph, Table
from daemon.audio.spelling import spelled, spoken_plain
from daemon.language.guess import guess
from daemon.model.audio import NARRATOR, READER, Line

_SAID_BY = re.compile(r"^[—–-]\s*(?P<who>.+?)(?:\.\s+(?P<more>Confirmed by [^.]+)\.?)?\.?$")
_YEAR_BEFORE_VERB = re.compile(r", (?P<year>\d{4})(?:,?(?P<verb> (?:writes?|notes?|reports?)))?:$")
_YEAR_OR_VERB = re.compile(r"(?:, \d{4})?(?:,? (?:writes?|notes?|reports?|says?))?:?$")
_INTRODUCES = re.compile(
    r"(?i)^(?:according to |your note |in your )|\b(?:writes?|notes?|reports?|says?):$"
)
_CONFIRMED = re.compile(r"^(?P<how>Confirmed by [^:]+): (?P<who>.+)$")
_CONTRAST = re.compile(r"^(?P<how>On the contrary|Another result), (?P<who>.+)$")
_WRITTEN_BY = re.compile(r"^Written by .+ from \d+ passages?; every sentence checked\.$")
_CUT = re.compile(r",?\s*…(?= |:|$)")
_ACCORDING = re.compile(r"(?i)^according to (?P<who>.+):$")
_IN_NOTE = re.compile(r"^\((?P<name>.+)\)\.?$")
_DATE = re.compile(r"\d{4}(?P<month>-\d\d)?(?P<day>-\d\d)?")
_OF_NOTE = "Your note"
_ELIDED = re.compile(r"\s*\[…\]\s*")
_MIN_WORDS = 5  # of a quote whose language is determined
_BETWEEN_LANGUAGES = "en"

Name = Callable[[str], str]
"""Introduces a speaker: from a name to the words before a quote."""


class Narration:
    """Turns paragraphs of one note into lines; a quote is read once.

    `titles` are those of its sources: a source without an author is named by its title, or by the
    beginning of it. `questions` are those that it answers.
    """

    def __init__(self, titles: Collection[str] = (), questions: Collection[str] = ()) -> None:
        self._read: set[str] = set()
        self._titles = tuple(title.casefold() for title in titles)
        self._questions = {question.casefold().rstrip("?") for question in questions}

    def narrated(self, text: str) -> Iterator[Line]:
        """Yield what the narrator says; nothing for what has no words."""
        if words := spelled(text):
            yield Line(NARRATOR, words if words.endswith((".", "!", "?", ":")) else f"{words}.")

    def paragraph(self, found: Paragraph, named: Name | None = None) -> Iterator[Line]:
        """Yield a paragraph: each quote after who said it, unless it was read before.

        `named` introduces the speaker of a quote in another way than "According to".
        """
        if _is_one_sentence(found):
            yield from self.narrated(self._sentence(found))
            return
        texts = [*found.pieces]
        lead, said_by = self._said_by(texts[-1].text) if len(texts) > 1 else ("", "")
        if lead:
            texts.pop()
        has_read = False
        for each in texts:
            if not each.is_quote and lead.startswith(_OF_NOTE):  # what the quote is about
                yield from self.narrated(each.text.rstrip(" :"))
            elif not each.is_quote:
                lead = self._lead(each.text, named)
                if not lead.endswith(":"):
                    yield from self.narrated(lead)
                    lead = ""
            elif self._is_new(each.text):
                yield from self.narrated(lead)
                yield self._quote(each.text)
                lead, has_read = "", True
        if has_read:
            yield from self.narrated(said_by)
        elif not any(each.is_quote for each in texts):
            yield from self.narrated(lead)  # it introduces the list that follows

    def table(self, table: Table) -> Iterator[Line]:
        """Say in one sentence what a table compares."""
        heads = [each.lower() for each in table.head if each]
        count = len(table.rows)
        entries = f"{count} {'entry' if count == 1 else 'entries'}"
        yield from self.narrated(f"A table in the note compares {entries} by {listed(heads)}.")

    def _said_by(self, text: str) -> tuple[str, str]:
        """Return who is named after a quote, as words before it, and what else is said of it."""
        if match := _SAID_BY.match(text):
            more = f"{match['more']}." if match["more"] else ""
            return self._according(_CUT.sub("", match["who"]).rstrip(" ,")), more
        if match := _IN_NOTE.match(text):
            return f"{_OF_NOTE} {match['name']} says:", ""
        return "", ""

    def _lead(self, text: str, named: Name | None) -> str:
        if _WRITTEN_BY.match(text):
            return "A language model wrote this; every sentence was checked against its sources."
        text = _CUT.sub("", text)
        if match := _DATE.fullmatch(text):
            return f"{'On' if match['day'] else 'In'} {text}:"
        return self._introduction(text, named) if text.endswith(":") else text

    def _introduction(self, text: str, named: Name | None) -> str:
        """Return the words before a quote, with who says it."""
        if match := _ACCORDING.match(text):
            return self._according(match["who"])
        if match := _CONFIRMED.match(text):
            return f"{match['how']}. {self._according(match['who'][:-1])}"
        if match := _CONTRAST.match(text):
            return f"{match['how']}, according to {_dated(self._called(match['who']))}"
        if _INTRODUCES.search(text):
            called = self._called(text)
            return _dated(called[:1].upper() + called[1:])
        return named(self._called(text[:-1])) if named else self._according(text[:-1])

    def _sentence(self, found: Paragraph) -> str:
        """Return the words of one sentence; a question at its end is asked."""
        *others, last = found.pieces
        is_asked = last.is_quote and last.text.casefold().rstrip("?") in self._questions
        if not is_asked:
            return found.text
        return f"{' '.join(each.text for each in others)}: {last.text.rstrip('?')}?"

    def _called(self, who: str) -> str:
        """Return the name of a source with what it is, if the name is a title."""
        name = _YEAR_OR_VERB.sub("", who).strip(" :").casefold()
        is_title = len(name.split()) > 1 and any(
            each.startswith(name) or name.startswith(each) for each in self._titles
        )
        return f"the text {who}" if is_title else who

    def _according(self, who: str) -> str:
        return _dated(f"According to {self._called(who)}:")

    def _is_new(self, quote: str) -> bool:
        if _key(quote) in self._read:
            return False
        self._read.add(_key(quote))
        return True

    def _quote(self, text: str) -> Line:
        language = guess(text) if len(text.split()) >= _MIN_WORDS else ""
        if language and language != _BETWEEN_LANGUAGES:
            return Line(READER, spoken_plain(text), language)
        words = spelled(_ELIDED.sub(" ", text)).rstrip(" :,")  # what follows is not read
        return Line(READER, words if words.endswith((".", "!", "?")) else f"{words}.")


def _is_one_sentence(found: Paragraph) -> bool:
    """Return whether quotes are words within a sentence, not statements that it introduces."""
    first = found.pieces[0]
    is_lead = first.text.endswith((":", ".")) or _DATE.fullmatch(first.text) is not None
    return not first.is_quote and not is_lead


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def _dated(lead: str) -> str:
    """Return the words before a quote with the year as it is spoken: "…, in 2024, writes:"."""
    match = _YEAR_BEFORE_VERB.search(lead)
    if match is None:
        return lead
    verb = f",{match['verb']}" if match["verb"] else ""
    return f"{lead[: match.start()]}, in {match['year']}{verb}:"
