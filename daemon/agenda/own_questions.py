"""The questions that a note asks itself: in headings, lists, tasks and sentences. Pure."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from daemon.analysis.asking import weight
from daemon.index.plain import plain
from vault_adapters.naming import heading_name

MOST_SENTENCES = 3  # of running text: some ask for effect
_LONGEST, _SHORTEST = 30, 2  # words of a question
_LIST_OF_QUESTIONS = re.compile(
    r"(?:\W*(?:open|research|unanswered|further|remaining|my)?\W*questions?"
    r"(?: to (?:answer|research|explore))?|unknowns"
    r"|to (?:research|find out|investigate|explore|look up)|things to (?:look up|find out)"
    r"|(?:offene |weitere )?fragen|offene punkte|(?:questions )?(?:ouvertes|en suspens)"
    r"|preguntas(?: abiertas)?|domande(?: aperte)?|(?:open )?vragen|perguntas(?: em aberto)?"
    r"|(?:открытые )?вопросы|(?:待解决|开放|未解决的?)?问题|疑问|(?:未解決の?)?(?:疑問|課題)"
    r"|질문)\W*",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?P<box>\[(?P<mark>.)\][ \t]+)?(?P<text>\S.*)$"
)
_HEADING = re.compile(r"^(?P<level>#{1,6})[ \t]+(?P<text>\S.*?)[ \t#]*$")
_TODO = re.compile(r"(?:\b(?:TODO|FIXME|LATER|NOW)\b|\bto-?do:)[:\s-]*(?P<text>.+)")
_TO_FIND_OUT = re.compile(
    r"^(?:find out|figure out|look (?:into|up)|look at|research|investigate|learn|read up on|check"
    r"|understand|explore|ask|herausfinden|recherchieren|nachlesen|nachschauen|klären|prüfen|chercher"
    r"|vérifier|comprendre|investigar|averiguar|buscar|cercare|uitzoeken|узнать|выяснить|изучить"
    r"|了解|研究|调查|查一下|弄清楚?|調べる)\b[:\s]*(?:more )?(?:about |on |into )?",
    re.IGNORECASE,
)
# A sentence begins behind another or a line, and its mark stands behind a word.
_SENTENCE = re.compile(
    r"(?:(?<=^)|(?<=[.!?:]\s)|(?<=[。！？]))[^.!?。！？\n]*(?<=\w)[\"'”’)\]]?[?？؟](?=\s|$|[^\s\x00-\x7f])",
)
_ADDRESS = re.compile(r"\S*(?:://|www\.)\S*|(?<!\w)\S+/\S+/\S+")
_TO_THE_READER = re.compile(
    r"\b(?:you|your|please|du|dein|vous|votre|usted)\b|[你您]", re.IGNORECASE
)
_BEGUN = re.compile(r"^(?:but|and|so|then|or|because|aber|und|mais|et|pero|y)\b,?\s+", re.I)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_ASKS = ("?", "？", "؟")
_DONE = frozenset("xX-")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a note asks it, and how it does so, as the end of “Note” ….

    `is_surest` tells those that stand where questions stand from sentences of a text.
    """

    text: str
    how: str
    is_surest: bool = True


def own_questions(body: str) -> list[Asked]:
    """Return the questions of a note's Markdown body, each once, the surest first."""
    found = list(_in_lines(body))
    sentences = [asked for asked in found if not asked.is_surest][:MOST_SENTENCES]
    ranked = [*(asked for asked in found if asked.is_surest), *sentences]
    return list({asked.text.casefold(): asked for asked in reversed(ranked)}.values())[::-1]


def is_list_of_questions(heading: str) -> bool:
    """Whether open questions stand under a heading."""
    return _LIST_OF_QUESTIONS.fullmatch(heading) is not None


def _in_lines(body: str) -> Iterator[Asked]:
    section, level, is_code = "", 0, False
    for line in body.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
        if is_code or line.lstrip().startswith(">"):
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            text = _clean(heading_name(heading["text"]))
            if _LIST_OF_QUESTIONS.fullmatch(text):
                section, level = text, len(heading["level"])
            elif len(heading["level"]) <= level:
                section, level = "", 0
            if text.endswith(_ASKS):
                yield from _asked(text, "asks it in a heading")
            continue
        yield from _of_line(line, section)


def _of_line(line: str, section: str) -> Iterator[Asked]:
    """Give what a line asks: an item of a list of questions, a task, or a sentence."""
    item, todo = _ITEM.match(line), _TODO.search(line)
    if item is not None and (item["mark"] or " ") in _DONE:
        return
    if item is not None and section:
        yield from _asked(_clean(item["text"]), f"lists it under “{section}”")
    elif todo is not None and (text := _to_find_out(todo["text"])):
        yield from _asked(text, "has it as something to do")
    elif item is not None and item["box"] and (text := _to_find_out(item["text"])):
        yield from _asked(text, "has it as an open task")
    else:
        for sentence in _SENTENCE.findall(_ADDRESS.sub(" ", _clean(line))):
            if not _TO_THE_READER.search(sentence) and _is_closed(sentence):
                yield from _asked(sentence, "asks it", is_surest=False)


def _to_find_out(text: str) -> str:
    """What a task asks: a question as it stands, or what is to be found out; else ""."""
    task = _clean(text)
    asked = _TO_FIND_OUT.sub("", task)
    return asked if asked != task or task.endswith(_ASKS) else ""


def _asked(text: str, how: str, *, is_surest: bool = True) -> Iterator[Asked]:
    question = _BEGUN.sub("", " ".join(text.split()).strip(" -–—:*_"))
    length = max(len(question.split()), weight(question))
    if _SHORTEST <= length <= _LONGEST and weight(question):
        yield Asked(question, how, is_surest)


def _is_closed(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def _clean(text: str) -> str:
    return plain(html.unescape(text)).strip(" <>")
