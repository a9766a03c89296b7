"""What a report shows of the user's notes: the core of each, by subtopic. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from daemon.model.finding import NoteLine
from daemon.model.report import Report, ReportSection, Said
from vault_adapters.inert import inert_line, quoted_line, visible
from vault_adapters.wikilink import Linker

_MAX_NAMED = 40  # notes of a subtopic that are only named
_MARK = re.compile(r"^(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_COLON = "&colon;"
_NUMBER = re.compile(r"^\(?(\d{1,3})[.)]\s+")
_TICKS = re.compile(r"`{3,}")
_TEMPLATE = re.compile(r"<(?=%)|%(?=>)")  # of a tool that runs it when a note is created


def what_notes_say(
    report: Report, sections: Sequence[ReportSection], link: Linker
) -> Iterator[str]:
    """Yield each subtopic with its notes; where there is only one, without its heading."""
    if not sections:
        return
    yield "## What your notes say"
    named: set[str] = set()
    for each in sections:
        if len(sections) > 1 or each.title.casefold() != report.subject.casefold():
            yield f"### {inert_line(each.title)}"
        lines = [line for said in _by_note(each.single) for line in _of_note(said, report, link)]
        if lines:
            yield "\n".join(lines)
        named |= {said.path for said in each.single if isinstance(said, NoteLine)}
        others = [path for path in each.notes if path not in named]
        named.update(others)
        if others:
            more = f" and {len(others) - _MAX_NAMED} more" if len(others) > _MAX_NAMED else ""
            also = "Also: " if lines else ""
            yield f"{also}{', '.join(map(link, others[:_MAX_NAMED]))}{more}"


def _by_note(single: Sequence[Said]) -> Iterator[list[NoteLine]]:
    """Yield the lines of each note."""
    lines = (each for each in single if isinstance(each, NoteLine))
    yield from (list(its) for _, its in groupby(lines, key=lambda each: each.path))


def related_notes(report: Report, link: Linker) -> Iterator[str]:
    """Yield what several notes say alike, and where a dispute is reported."""
    if report.alike:
        yield "## Said in two notes"
        yield _groups(report.alike, link)
    if report.contested:
        yield "## Disputed"
        yield _groups(report.contested, link)


def _groups(groups: Iterable[Sequence[Said]], link: Linker) -> str:
    """Return each group of statements as an item, with the others below its first."""
    return "\n".join(
        f"{'    ' if place else ''}- {link(said.path)}: “{quoted_line(said.text)}”"
        for group in groups
        for place, said in enumerate(group)
        if isinstance(said, NoteLine)
    )


def _of_note(lines: Sequence[NoteLine], report: Report, link: Linker) -> Iterator[str]:
    """Yield a note with its day and what it says: on one line if that is one, else below it."""
    path = lines[0].path
    day = report.dates.get(path, "")
    name = f"{link(path)} ({day})" if day else link(path)
    if len(lines) == 1:
        yield f"- {name}: {_line(lines[0])}".rstrip()
        yield from _below(lines[0], "    ")
        return
    yield f"- {name}"
    heading, indent = "", "    "
    for each in lines:
        shown = replace(each, heading="") if each.heading == heading else each
        heading = each.heading
        if shown.text or shown.heading:
            yield f"    - {_line(shown)}"
            indent = "        "
        yield from _below(shown, indent)


def _line(line: NoteLine) -> str:
    heading = line.heading.rstrip(" :")
    end = "" if heading.endswith(("?", "!", ".", "？", "！", "。")) else ":"
    label = f"*{inert_line(heading)}{end}* " if heading else ""
    return f"{label}{_quoted(line.text)}".rstrip()


def _below(line: NoteLine, indent: str) -> Iterator[str]:
    shown = _code(line.below) if line.is_code else map(_item, line.below)
    yield from (f"{indent}{each}" for each in shown)


def _quoted(text: str) -> str:
    """Return a text in quotation marks."""
    return f"“{_at_end(text)}”" if text else ""


def _at_end(text: str) -> str:
    """Return a text after which nothing of ours follows that a colon could begin."""
    shown = quoted_line(text)
    return f"{shown.removesuffix(_COLON)}:" if shown.endswith(_COLON) else shown


def _item(line: str) -> str:
    """Return an item of a list with its number, if it has one."""
    found = _NUMBER.match(line.strip())
    margin, line = " " * (2 * (len(line) - len(line.lstrip()))), line.strip()
    if found is not None:
        return f"{margin}{found[1]}. {_at_end(line[found.end() :])}"
    return f"{margin}- {_at_end(_unmarked(line))}"


def _unmarked(item: str) -> str:
    return _MARK.sub("", item)


def _code(lines: Sequence[str]) -> Iterator[str]:
    """Yield a fenced block without a language, which no plugin carries out."""
    shown = [_shown(each.expandtabs(4)) for each in lines]
    longest = max((len(each) for line in shown for each in _TICKS.findall(line)), default=2)
    fence = "`" * (longest + 1)
    yield from (fence, *shown, fence)


def _shown(line: str) -> str:
    code = line.lstrip()
    plain = _TEMPLATE.sub(r"\g<0> ", visible(code))
    return f"{' ' * (len(line) - len(code))}{plain}"
