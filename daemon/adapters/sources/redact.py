"""A source's own keys, taken out of whatever the source sends back, however it is written."""

import json
import re
from dataclasses import fields, replace
from html.entities import codepoint2name
from typing import Any

from daemon.model.evidence import Hit
from daemon.ports import Fetched

STANDS_IN = "(key)"
_LEAST = 4  # characters; what is shorter is no secret, and stands in many words


class Redactor:
    """Finds `keys` as they are, and with any of their characters spelled as in URLs, JSON, HTML."""

    def __init__(self, *keys: str) -> None:
        known = sorted({key for key in keys if len(key) >= _LEAST}, key=len, reverse=True)
        spelled = "|".join("".join(map(_spellings, key)) for key in known) or r"(?!)"
        self._text = re.compile(spelled)
        self._bytes = re.compile(spelled.encode("utf-8", "replace"))

    def text(self, text: str) -> str:
        return self._text.sub(STANDS_IN, text)

    def hit(self, hit: Hit) -> Hit:
        """Go through everything that a source says of a document."""
        told: dict[str, Any] = {field.name: getattr(hit, field.name) for field in fields(Hit)}
        texts = {name: self.text(value) for name, value in told.items() if type(value) is str}
        figures = tuple((self.text(what), self.text(value)) for what, value in hit.figures)
        authors = tuple(map(self.text, hit.authors))
        return Hit(**{**told, **texts, "authors": authors, "figures": figures})

    def fetched(self, fetched: Fetched) -> Fetched:
        """Go through an answer before it is read, so that nothing cuts an echoed key in two."""
        return replace(fetched, body=self._bytes.sub(STANDS_IN.encode(), fetched.body))


def _spellings(character: str) -> str:
    """A pattern for every way in which a character may stand in an answer."""
    code = ord(character)
    encoded = character.encode("utf-8", "replace")
    escaped = json.dumps(character)[1:-1]
    ways = {
        re.escape(character),
        re.escape(escaped),
        re.escape("\\" + character),
        _any_case("".join(f"%{byte:02x}" for byte in encoded)),
        _any_case(f"\\u{code:04x}"),
        f"&#0*{code};",
        _any_case(f"&#x{code:x};").replace("[xX]", "[xX]0*"),
    }
    if code in codepoint2name:
        ways.add(f"&{codepoint2name[code]};")
    if character == " ":
        ways.add(re.escape("+"))
    return f"(?:{'|'.join(sorted(ways, key=len, reverse=True))})"


def _any_case(text: str) -> str:
    return "".join(
        f"[{each.lower()}{each.upper()}]" if each.isalpha() else re.escape(each) for each in text
    )
