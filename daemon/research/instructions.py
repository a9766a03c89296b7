"""Does a sentence try to command a machine that reads it? Weighted rules; a sum of 1.0 flags.

The rules look for what ordinary prose does not do: setting aside instructions, speaking to an
assistant, dictating an answer, opening a prompt. That a text is about such things is no command.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files

from daemon.research.letters import fold

FLAGGED = 1.0
_LONGEST = 3000  # characters of one sentence that are looked at
_PART = re.compile(r"<<([A-Z_]+)>>")

_REQUEST = re.compile(
    r"^\W*(?:please,? |kindly |can you |could you |would you |now,? )*"
    r"(?:explain|describe|write|draft|compose|provide|translate|summari[sz]e|create|generate"
    r"|develop an? (?:speech|essay|story|poem|plan)|break down the|rewrite|rephrase|paraphrase"
    r"|list the|list all|give me|tell me|show me|help me|answer the|recommend|suggest|misspell"
    r"|scramble|jumble|anagram|rearrange|substitute|modify|augment|enhance|integrate|imagine"
    r"|pretend|act as|discuss)\b",
    re.IGNORECASE,
)


def score(sentence: str) -> float:
    """Sum the weights of the rules that fit."""
    text = fold(sentence[:_LONGEST])
    return round(sum(weight for weight, pattern in _rules() if pattern.search(text)), 2)


def is_instruction(sentence: str) -> bool:
    """Whether a sentence is flagged: told to the user, and never quoted."""
    return score(sentence) >= FLAGGED


def is_request(sentence: str) -> bool:
    """Whether a sentence asks its reader to say or write something: no evidence, so not quoted."""
    return sentence.rstrip("\"'”’)").endswith(("?", "？")) or _REQUEST.match(sentence) is not None


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
