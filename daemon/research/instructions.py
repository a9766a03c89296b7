"""Does a sentence try to command a machine that reads it? Weighted rules; a sum of 1.0 flags.

The rules look for what ordinary prose does not do: setting aside instructions, speaking to an
assistant, dictating an answer, opening a prompt. That a text is about such things is no command.
"""

import re
import tomllib
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files

from daemon.research.letters import fold

FLAGGED = 1.0
_LONGEST = 3000  # characters of one sentence that are looked at
_PART = re.compile(r"<<([A-Z_]+)>>")

# The commonest command of all, however its letters are set apart or run together.
_SQUASHED = re.compile(
    r"(?:ignore|disregard|forget)(?:all|any)?(?:of)?(?:the|your|my)?"
    r"(?:previous|prior|above|preceding|earlier)(?:instruction|prompt|direction|order|command|rule)"
)
_NO_LETTERS = re.compile(r"[\W_]+")
_LEET = str.maketrans("013457@$", "oieastas")
_LEET_WORD = re.compile(r"(?=\S*[a-z])(?=\S*[013457@$])[a-z013457@$]{4,}")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2} ?){16,2000}")

_REQUEST = re.compile(
    r"^\W*(?:please,? |kindly |can you |could you |would you |now,? )*"
    r"(?:explain|describe|write|draft|compose|provide|translate|summari[sz]e|create|generate"
    r"|develop an? (?:speech|essay|story|poem|plan)|break down the|rewrite|rephrase|paraphrase"
    r"|list the|list all|give me|tell me|show me|help me|answer the|recommend|suggest|misspell"
    r"|scramble|jumble|anagram|rearrange|substitute|modify|augment|enhance|integrate|imagine"
    r"|pretend|act as|discuss|claim that|say that|conclude that|you (?:should|must) conclude)\b"
    # What a machine could be told to do; a noun would not be followed by these words.
    r"|^\W*(?:now,? |then,? )?(?:send|transfer|retrieve|fetch|delete|schedule|grant|share|forward"
    r"|upload|submit|invoke|execute|remember|append|insert|ignore|disregard|forget|state|confirm"
    r"|reply|respond|answer|output|print|repeat|reveal|encode|decode|reverse|copy|paste|confess"
    r"|replace|interlace|combine|decrypt|unscramble|click|visit|buy|purchase|sign)"
    r" (?:the|an?|this|that|these|all|every|each|any|my|your|me|it|them|us|up|in|with|as|to|by|on"
    r"|\d+|https?:\S+|vowels|letters|words)\b"
    r"|^\W*please\b|\byour (?:secret )?(?:password|secret key)\b|\bgive me\b",
    re.IGNORECASE,
)


def score(sentence: str) -> float:
    """Sum the weights of the rules that fit."""
    sentence = sentence[:_LONGEST]
    text = fold(sentence)
    told = [_weighed(text)]
    if (plain := _LEET_WORD.sub(lambda word: word[0].translate(_LEET), text)) != text:
        told.append(_weighed(plain))
    if _SQUASHED.search(_NO_LETTERS.sub("", plain)):
        told.append(FLAGGED)
    told += [_weighed(fold(inner)) for inner in _decoded(sentence)]
    return max(told)


def is_instruction(sentence: str) -> bool:
    """Whether a sentence is flagged: told to the user, and never quoted."""
    return score(sentence) >= FLAGGED


def is_request(sentence: str) -> bool:
    """Whether a sentence asks its reader to say or write something: no evidence, so not quoted."""
    return sentence.rstrip("\"'”’)").endswith(("?", "？")) or _REQUEST.match(sentence) is not None


def _weighed(text: str) -> float:
    return round(sum(weight for weight, pattern in _rules() if pattern.search(text)), 2)


def _decoded(sentence: str) -> Iterator[str]:
    """What stands in a sentence in base64 or hexadecimal, where that is readable text."""
    for found in _ENCODED.findall(sentence):
        with suppress(ValueError):
            yield from _readable(b64decode(found[: len(found) // 4 * 4]))
    for found in _HEX.findall(sentence):
        with suppress(ValueError):
            yield from _readable(bytes.fromhex(found))


def _readable(raw: bytes) -> Iterator[str]:
    text = raw.decode("utf-8", "replace")
    if " " in text and text.isprintable() and "\ufffd" not in text:
        yield text


@cache
def _rules() -> tuple[tuple[float, re.Pattern[str]], ...]:
    table = tomllib.loads(files(__package__).joinpath("instructions.toml").read_text("utf-8"))
    parts: dict[str, str] = {}
    for name, text in table["parts"].items():
        parts[name] = _filled(text, parts)
    return tuple(
        (float(rule["weight"]), re.compile(_filled(rule["pattern"], parts)))
        for rule in table["rule"]
    )


def _filled(text: str, parts: dict[str, str]) -> str:
    return _PART.sub(lambda found: parts[found[1]], text)
