"""What a report shows of the user's notes: how each begins, by subtopic. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from daemon.model.finding import NoteLine
from daemon.model.report import Report, ReportSection, Said
from vault_adapters.inert import inert_line, visible
from vault_adapters.wikilink import Linker

_MAX_NAMED = 60  # notes of a subtopic that are only named
_MARK = re.compile(r"^(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_TICKS = re.compile(r"`{3,}")
_TEMPLATE = re.compile(r"<(?=%)|%(?=>)")  # of a tool that runs it when a note is created


def what_notes_say(sections: Sequence[ReportSection], subject: str, link: Linker) -> Iterator[str]:
    """Yield each subtopic with its notes; where there is only one, without its heading."""
    if not sections:
        return
    yield "## What your notes say"
    for each in sections:
        if len(sections) > 1 or each.title.casefold() != subject.casefold():
            yield f"### {inert_line(each.title)}"
        lines = [line for said in each.single for line in _lead(said, link)]
        if lines:
            yield "\n".join(lines)
        shown = {said.path for said in each.single if isinstance(said, NoteLine)}
        others = [path for path in each.notes if path not in shown]
        if others:
            more = f" and {len(others) - _MAX_NAMED} more" if len(others) > _MAX_NAMED else ""
            also = "Also: " if lines else ""
            yield f"{also}{', '.join(map(link, others[:_MAX_NAMED]))}{more}"


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
        f"{'    ' if place else ''}- {link(said.path)}: “{inert_line(said.text)}”"
        for group in groups
        for place, said in enumerate(group)
        if isinstance(said, NoteLine)
    )


def _lead(said: Said, link: Linker) -> Iterator[str]:
    if not isinstance(said, NoteLine):
        return
    yield (
        f"- {link(said.path)}: “{inert_line(said.text)}”" if said.text else f"- {link(said.path)}:"
    )
    if said.is_code:
        yield from _code(said.below)
    else:
        yield from (f"    - {inert_line(_unmarked(each))}" for each in said.below)


def _unmarked(item: str) -> str:
    return _MARK.sub("", item)


def _code(lines: Sequence[str]) -> Iterator[str]:
    """Yield a fenced block without a language, which no plugin carries out."""
    shown = [_shown(each.expandtabs(4)) for each in lines]
    longest = max((len(each) for line in shown for each in _TICKS.findall(line)), default=2)
    fence = "`" * (longest + 1)
    yield from (f"    {each}" for each in (fence, *shown, fence))


def _shown(line: str) -> str:
    code = line.lstrip()
    plain = _TEMPLATE.sub(r"\g<0> ", visible(code))
    return f"{' ' * (len(line) - len(code))}{plain}"
