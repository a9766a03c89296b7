"""Detect sentences that try to command a machine that reads them, by weighted rules; suspect from
1.0.

The rules match what ordinary prose does not do: revoking instructions, addressing an assistant,
dictating an answer, opening a prompt; and, on a page's own topic, telling a machine or its reader
what to cite, say, buy or believe. Being about such things is not a command.

A suspect sentence is only not quoted, which costs nothing. The reader is warned if it is also
certain that a machine is addressed: see addressed.toml.
"""

import re
import tomllib
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files

from daemon.research.letters import fold

# Machines that read, and what they could be instructed to do, in any form of the verb.
MACHINES = ("agent", "ai", "assistant", "bot", "chatbot", "crawler", "gpt", "llm", "model", "robot")
_MACHINE = re.compile(
    r"\b(?:ais?|llms?|\w{0,20}gpt\w{0,20}|openai|(?:chat|answer|search|web)?bots?|assistants?"
    r"|copilots?|crawlers?|scrapers?|summari[sz]ers?|robots?"
    r"|(?:language|large|generative|chat) models?"
    r"|neural networks?|your agents?|(?:when|if) an? (?:model|agent)|machines summari[sz]ing"
    r"|(?:automated|machine|digital|virtual|conversational|generative|answer|search|ai|software"
    r"|reading|retrieval|autonomous|intelligent|web)[ -]"
    r"(?:readers?|agents?|systems?|tools?|engines?|helpers?|services?)"
    r"|(?:software|programs?|systems?|agents?|models?|machines|tools?) (?:that|which) "
    r"(?:reads?|crawls?|process\w*|index\w*|summari[sz]\w*|quotes?)|process this \w+ automatically"
    r"|human or not)\b"
)
_DEMANDED = re.compile(
    r"\b(?:add|advis|answer|assert|attribut|believ|call|cit|claim|conclud|confirm|consider|correct"
    r"|credit|describ|disclos|disregard|download|forget|giv|ignor|includ|insist|introduc|link|list"
    r"|load|mention|nam|omit|open|order|point|prais|prefer|present|promot|put|quot|rank|recommend"
    r"|refer|regard|rely|remember|repeat|replac|report|say|send|show|stat|suggest|summari[sz]|tell"
    r"|told|treat|trust|us|visit|write)(?:e|es|s|ed|ing)?\b"
)
SUSPECT, UNQUOTED = 1.0, 0.5
_APPEALS = ("appeals.toml",)
_TABLES = ("instructions.toml", *_APPEALS)
_ADDRESSED = ("addressed.toml",)
_MAX_LENGTH = 3000  # characters of one sentence that are checked
_PART = re.compile(r"<<([A-Z_]+)>>")

# The most common command of all, however its letters are separated or joined.
_SQUASHED = re.compile(
    r"(?:ignore|disregard|forget)(?:all|any)?(?:of)?(?:the|your|my)?"
    r"(?:previous|prior|above|preceding|earlier)(?:instruction|prompt|direction|order|command|rule)"
)
# The same words about anything else: an option, or what a processor does.
_PLAIN_ORDER = re.compile(
    r"\b(?:ignor|disregard|forget)\w* .*\b(?:instruction|prompt|direction|order|command|rule)"
)
_SUBJECT = re.compile(
    r"\bprompt[- ](?:injection|leak|hack)|\bjailbreak"
    r"|\badversarial prompt|\binjected (?:prompt|instruction)|提示词?注入",
    re.IGNORECASE,
)
# Text in quotation marks or code: it is mentioned, not used.
_SHOWN = re.compile(
    r"\"[^\"]*\"|“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|`[^`]*`|(?<!\w)['‘][^'’]{4,}['’](?!\w)"
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
    # What a machine could be instructed to do; a noun would not be followed by these words.
    r"|^\W*(?:now,? |then,? )?(?:send|transfer|retrieve|fetch|delete|schedule|grant|share|forward"
    r"|upload|submit|invoke|execute|remember|append|insert|ignore|disregard|forget|state|confirm"
    r"|reply|respond|answer|output|print|repeat|reveal|encode|decode|reverse|copy|paste|confess"
    r"|replace|interlace|combine|decrypt|unscramble|click|visit|buy|purchase|sign)"
    r" (?:the|an?|this|that|these|all|every|each|any|my|your|me|it|them|us|up|in|with|as|to|by|on"
    r"|\d+|https?:\S+|vowels|letters|words)\b"
    r"|^\W*(?:visit|order|buy|call|phone|contact|go to) (?:https?:|www\.|[\w-]+\.[a-z]{2,}|[\d+(])"
    r"|^\W*please\b|\byour (?:secret )?(?:password|secret key)\b|\bgive me\b",
    re.IGNORECASE,
)


def score(sentence: str) -> float:
    """Sum the weights of the matching rules."""
    readings = [weighed(text) for text in _readings(sentence)]
    return max([*readings, SUSPECT if _is_run_together(sentence) else 0.0])


def is_suspect(sentence: str) -> bool:
    """Return whether a sentence may be a command: then neither it nor its neighbours are quoted."""
    return score(sentence) >= SUSPECT


def is_instruction(sentence: str) -> bool:
    """Return whether a sentence is certainly addressed to a machine: the user is warned about
    it.
    """
    return is_suspect(sentence) and (
        any(weighed(_SHOWN.sub(" … ", text), _ADDRESSED) for text in _readings(sentence))
        or (_is_run_together(sentence) and not _PLAIN_ORDER.search(fold(sentence[:_MAX_LENGTH])))
    )


def _readings(sentence: str) -> Iterator[str]:
    """Yield a sentence in normal form for the rules, also without its disguises."""
    sentence = sentence[:_MAX_LENGTH]
    text = fold(sentence)
    yield text
    if (plain := _unleet(text)) != text:
        yield plain
    yield from map(fold, _decoded(sentence))


def _unleet(text: str) -> str:
    return _LEET_WORD.sub(lambda word: word[0].translate(_LEET), text)


def _is_run_together(sentence: str) -> bool:
    """Return whether the most common command occurs, however its letters are separated."""
    text = _unleet(fold(sentence[:_MAX_LENGTH]))
    return _SQUASHED.search(_NO_LETTERS.sub("", text)) is not None


def is_about_commands(text: str) -> bool:
    """Return whether a text's own subject is such commands, so that it shows examples."""
    return _SUBJECT.search(text) is not None


def is_request(sentence: str, *, is_option: bool = False) -> bool:
    """Return whether a sentence asks its reader to do something: not evidence, so not quoted.

    With `is_option` it stands below an option of a manual, and says what that does: "Create a
    shallow clone …".
    """
    is_question = sentence.rstrip("\"'”’)").endswith(("?", "？"))
    if is_question or (_REQUEST.match(sentence) and not is_option):
        return True
    return weighed(fold(sentence[:_MAX_LENGTH]), _APPEALS) >= UNQUOTED


def is_aside_to_machines(sentence: str) -> bool:
    """Return whether a sentence mentions machine readers and instructions for them.

    In a text on another subject that is hardly ever a statement on the subject.
    """
    text = fold(sentence[:_MAX_LENGTH])
    return bool(_MACHINE.search(text) and _DEMANDED.search(text))


def weighed(text: str, tables: tuple[str, ...] = _TABLES) -> float:
    """Sum the weights of the rules of `tables` that match a folded text."""
    rules = (rule for name in tables for rule in _rules(name))
    return round(
        sum(weight for weight, patterns in rules if all(each.search(text) for each in patterns)), 2
    )


def _decoded(sentence: str) -> Iterator[str]:
    """Return decoded base64 or hexadecimal in a sentence, if it is readable text."""
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
def _rules(name: str) -> tuple[tuple[float, tuple[re.Pattern[str], ...]], ...]:
    """Return the rules of a table: weight, and the patterns that must all match."""
    table = tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))
    parts: dict[str, str] = {}
    for part, text in table["parts"].items():
        parts[part] = _filled(text, parts)
    return tuple(
        (
            float(rule["weight"]),
            tuple(
                re.compile(_filled(each, parts)) for each in rule.get("all", [rule.get("pattern")])
            ),
        )
        for rule in table["rule"]
    )


def _filled(text: str, parts: dict[str, str]) -> str:
    return _PART.sub(lambda found: parts[found[1]], text)
