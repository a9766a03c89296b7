"""A vault made up for measuring, that looks like one somebody kept for years.

Subjects with words of their own, notes of very different lengths, folders, frontmatter, headings,
lists, code, tables, tags, aliases, and links that mostly stay in their subject and often lead to a
few well-known notes. The same count and seed always give the same bytes and times.
"""

import json
import os
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.words import Language

MADE_BY = 1  # raise it whenever other notes come out
_BEGAN = datetime(2021, 3, 1, 8, tzinfo=UTC)
_YEARS = timedelta(days=4 * 365)
_NOTES_A_SUBJECT = 60
_DAILY, _CANVASES, _ATTACHMENTS = 0.05, 0.002, 0.03
_MEDIAN_WORDS, _SPREAD = 200, 1.0
_LINKS_PER_100_WORDS = 1.6


@dataclass(frozen=True, slots=True)
class Subject:
    folder: str
    words: tuple[str, ...]


@dataclass(slots=True)
class _Plan:
    """What the vault will hold, before any of it is written."""

    subjects: list[Subject]
    titles: list[str] = field(default_factory=list)
    of_subject: dict[int, list[int]] = field(default_factory=dict)
    subject_of: list[int] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # names that are linked, but not there


def make_vault(root: Path, notes: int, seed: int = 1) -> None:
    """Write `notes` notes, with some daily notes, canvases and attachments, below `root`."""
    language = Language(seed)
    plan = _plan(language, notes, seed)
    for number in range(notes):
        chance = random.Random(f"note {seed} {number}")
        is_daily = number % round(1 / _DAILY) == 7
        path, text = (_daily if is_daily else _note)(language, plan, number, chance)
        _write(root / path, text, _BEGAN + _YEARS * (number / notes))
    for number in range(int(notes * _CANVASES)):
        _write(root / f"Boards/Board {number}.canvas", _canvas(plan, number), _BEGAN)
    for number in range(int(notes * _ATTACHMENTS)):
        _write(root / f"Attachments/figure-{number}.png", "", _BEGAN)
    _write(root / ".obsidian/app.json", '{"alwaysUpdateLinks": true}\n', _BEGAN)


def _plan(language: Language, notes: int, seed: int) -> _Plan:
    chance = random.Random(f"plan {seed} {notes}")
    subjects: list[Subject] = []
    for number in range(max(notes // _NOTES_A_SUBJECT, 3)):
        words = tuple(language.subject(chance))
        above = f"{subjects[number // 3].folder}/" if number % 3 == 2 and number > 6 else ""
        subjects.append(Subject(above + words[0].capitalize(), words))
    plan = _Plan(subjects)
    taken: set[str] = set()
    for number in range(notes):
        # Some subjects are written about much more than others.
        subject = int(len(subjects) * chance.random() ** 1.4)
        title = _title(chance, subjects[subject].words)
        while title.lower() in taken:
            title = f"{title} {chance.choice(subjects[subject].words)}"
        taken.add(title.lower())
        plan.titles.append(title)
        plan.subject_of.append(subject)
        plan.of_subject.setdefault(subject, []).append(number)
    plan.missing = [f"{_title(chance, s.words)} {chance.choice(s.words)} idea" for s in subjects]
    return plan


def _title(chance: random.Random, words: tuple[str, ...]) -> str:
    count = chance.choices((1, 2, 3, 4), (2, 5, 3, 1))[0]
    picked = [words[int(len(words) * chance.random() ** 1.5)] for _ in range(count)]
    title = " ".join(dict.fromkeys(picked))
    return f"{chance.choice('🌱📚🧭')} {title}" if chance.random() < 0.01 else title.capitalize()


def _note(language: Language, plan: _Plan, number: int, chance: random.Random) -> tuple[str, str]:
    subject = plan.subjects[plan.subject_of[number]]
    writer = _Writer(language, plan, plan.subject_of[number], chance)
    length = min(int(chance.lognormvariate(0, _SPREAD) * _MEDIAN_WORDS), 6_000)
    parts = [_frontmatter(subject, number, chance)] if chance.random() < 0.8 else []
    if chance.random() < 0.5:
        parts.append(f"# {plan.titles[number]}")
    parts += writer.body(length)
    return f"{subject.folder}/{plan.titles[number]}.md", "\n\n".join(parts) + "\n"


def _daily(language: Language, plan: _Plan, number: int, chance: random.Random) -> tuple[str, str]:
    day = _BEGAN + timedelta(days=number // round(1 / _DAILY))
    writer = _Writer(language, plan, plan.subject_of[number], chance)
    lines = [f"- {chance.randint(8, 22):02}:15 {writer.sentence()}" for _ in range(6)]
    return f"Daily/{day:%Y-%m-%d}.md", f"# {day:%A}\n\n" + "\n".join(lines) + "\n"


def _frontmatter(subject: Subject, number: int, chance: random.Random) -> str:
    created = _BEGAN + timedelta(hours=number)
    lines = [f"created: {created:%Y-%m-%d}", f"tags: [{subject.words[0]}, {subject.words[1]}]"]
    if chance.random() < 0.3:
        lines.append(f"aliases:\n  - {chance.choice(subject.words)} {chance.choice(subject.words)}")
    if chance.random() < 0.3:
        lines.append(f"status: {chance.choice(('seed', 'growing', 'evergreen'))}")
    if chance.random() < 0.1:
        lines.append(f"source: https://example.org/{subject.words[2]}/{number}")
    return "---\n" + "\n".join(lines) + "\n---"


def _canvas(plan: _Plan, number: int) -> str:
    chance = random.Random(f"canvas {number}")
    titles = chance.sample(plan.titles, 4)
    nodes = [
        {"id": str(at), "type": "text", "text": f"see [[{title}]]", "x": at * 300, "y": 0}
        for at, title in enumerate(titles)
    ]
    return json.dumps({"nodes": nodes, "edges": []})


class _Writer:
    """Writes the body of one note."""

    def __init__(
        self, language: Language, plan: _Plan, subject: int, chance: random.Random
    ) -> None:
        self._language, self._plan, self._chance = language, plan, chance
        self._subject = subject
        self._words = plan.subjects[subject].words

    def body(self, length: int) -> list[str]:
        """About `length` words as paragraphs, with what else stands in a note."""
        parts, written = [], 0
        while written < length:
            if written and self._chance.random() < 0.28:
                parts.append(f"{'#' * self._chance.choice((2, 2, 3))} {self._phrase(3)}")
            part = self._part()
            parts.append(part)
            written += part.count(" ") + 1
        if self._chance.random() < 0.2:
            parts.append(f"#{self._words[0]} #{self._words[1]}/{self._words[2]}")
        return parts

    def _part(self) -> str:
        kind = self._chance.random()
        if kind < 0.22:
            return "\n".join(self._item() for _ in range(self._chance.randint(2, 7)))
        if kind < 0.27:
            return f"```python\n{self._phrase(2)} = {self._phrase(6)}\n```"
        if kind < 0.31:
            return f"> {self.sentence()}"
        if kind < 0.33:
            rows = "\n".join(f"| {self._phrase(2)} | {self._phrase(3)} |" for _ in range(3))
            return f"| what | why |\n| --- | --- |\n{rows}"
        return " ".join(self.sentence() for _ in range(self._chance.randint(2, 6)))

    def _item(self) -> str:
        mark = self._chance.choice(("-", "-", "-", "- [ ]", "- [x]", "  -", "1."))
        return f"{mark} {self.sentence()}"

    def sentence(self) -> str:
        words = self._language.draw(self._chance, self._words, self._chance.randint(5, 20))
        for at in range(len(words)):
            if self._chance.random() < _LINKS_PER_100_WORDS / 100:
                words[at] = self._link(words[at])
        if self._chance.random() < 0.15:
            words[-1] = f"**{words[-1]}**"
        return f"{words[0].capitalize()} {' '.join(words[1:])}."

    def _link(self, word: str) -> str:
        kind = self._chance.random()
        if kind < 0.08:
            return f"[[{self._chance.choice(self._plan.missing)}]]"
        if kind < 0.10:
            return f"![[figure-{self._chance.randrange(500)}.png]]"
        title = self._plan.titles[self._target()]
        if kind < 0.15:
            return f"[{word}](<{title}.md>)"
        if kind < 0.20:
            return f"[[{title}#{self._phrase(2)}]]"
        return f"[[{title}|{word}]]" if kind < 0.5 else f"[[{title}]]"

    def _target(self) -> int:
        """A note of the same subject, mostly one that others link to as well."""
        if self._chance.random() < 0.85:
            near = self._plan.of_subject[self._subject]
            return near[int(len(near) * self._chance.random() ** 2.5)]
        return int(len(self._plan.titles) * self._chance.random() ** 2)

    def _phrase(self, words: int) -> str:
        return " ".join(self._chance.choices(self._words, k=words)).capitalize()


def _write(file: Path, text: str, at: datetime) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    os.utime(file, (at.timestamp(), at.timestamp()))
