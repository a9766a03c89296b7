"""Remove a source's own keys from its answers, however they are spelled."""

import json
import re
from dataclasses import fields, replace
from html.entities import codepoint2name
from typing import Any

from daemon.model.evidence import Hit
from daemon.ports import Fetched

REDACTED = "(key)"
_MIN_LENGTH = 4  # characters; a shorter value is no secret, and occurs in many words


class Redactor:
    """Finds `keys` as they are, and with any of their characters encoded as in URLs, JSON, HTML."""

    def __init__(self, *keys: str) -> None:
        known = sorted({key for key in keys if len(key) >= _MIN_LENGTH}, key=len, reverse=True)
        spelled = "|".join("".join(map(_spellings, key)) for key in known) or r"(?!)"
        self._text = re.compile(spelled)
        self._bytes = re.compile(spelled.encode("utf-8", "replace"))

    def text(self, text: str) -> str:
        return self._text.sub(REDACTED, text)

    def hit(self, hit: Hit) -> Hit:
        """Redact everything that a source says about a document."""
        values: dict[str, Any] = {field.name: getattr(hit, field.name) for field in fields(Hit)}
        texts = {name: self.text(value) for name, value in values.items() if type(value) is str}
        figures = tuple((self.text(what), self.text(value)) for what, value in hit.figures)
        authors = tuple(map(self.text, hit.authors))
        return Hit(**{**values, **texts, "authors": authors, "figures": figures})

    def fetched(self, fetched: Fetched) -> Fetched:
        """Redact an answer before it is parsed, so that an echoed key is not cut in two."""
        return replace(fetched, body=self._bytes.sub(REDACTED.encode(), fetched.body))


def _spellings(character: str) -> str:
    """Return a pattern for every spelling of a character in an answer."""
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
