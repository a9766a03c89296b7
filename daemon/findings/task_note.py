"""The notes of suggested tasks: lines are only ever added, each task once. Pure."""

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta, tzinfo

from daemon.findings.safe_links import outside_link
from daemon.model.tasks import SuggestedTask, TaskFormat, TaskStyle
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker

FOLDER = "Tasks"
KIND = "tasks"
_INTRODUCTION = (
    "Tasks that reports and documents suggest. Tick, change or delete lines as you like: Lacuna"
    " only adds lines, and never the same one twice."
)
_WORDS = re.compile(r"[^\W_]+")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_DUE = re.compile(
    r"\b(?:by|until|before|due|on)[: ]+(?:the )?"
    rf"(?:(?P<iso>20\d\d-\d\d-\d\d)|(?P<day>\d\d?)(?:st|nd|rd|th)? {_MONTH},? (?P<year>20\d\d)"
    rf"|{_MONTH.replace('month', 'month_first')} (?P<day_after>\d\d?)(?:st|nd|rd|th)?,?"
    r" (?P<year_after>20\d\d))\b",
    re.IGNORECASE,
)


def task_key(task: SuggestedTask) -> str:
    """Return the key of equal tasks: the words of the text, and the note that it names."""
    words = " ".join(_WORDS.findall(task.text.casefold()))
    url = task.hit.url if task.hit is not None else ""
    return f"{words} {task.about} {url}".strip()


def due_in(text: str) -> date | None:
    """Return the day by which a text says that something is to be done, or None."""
    match = _DUE.search(text)
    if match is None:
        return None
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
        month = _MONTHS.index((match["month"] or match["month_first"]).lower()) + 1
        year, day = match["year"] or match["year_after"], match["day"] or match["day_after"]
        return date(int(year), month, int(day))
    except ValueError:  # such as 31 June
        return None


def empty_note(id_: str, created_at: datetime, tz: tzinfo) -> str:
    """Return a note of tasks without any."""
    head = [
        "---",
        f"type: {KIND}",
        f"lacuna_id: {yaml_text(id_)}",
        f"created: {stamp(created_at, tz)}",
        "---",
        "# Tasks",
        "",
        _INTRODUCTION,
        "",
    ]
    return "\n".join(head)


def task_line(task: SuggestedTask, style: TaskFormat, today: date, link: Linker) -> str:
    """Return the line of a task: what to do, where it is from, the day, the tag."""
    about = f": {link(task.about)}" if task.about else ""
    if task.hit is not None:
        about += f": {outside_link(task.hit.title or task.hit.url, task.hit.url)}"
    parts = [f"- [ ] {inert_line(task.text)}{about} ({link(task.note)})"]
    due = task.due or (today + timedelta(days=style.due_days) if style.due_days else None)
    if due is not None:
        is_plain = style.style is TaskStyle.DAILY
        parts.append(f"by {due.isoformat()}" if is_plain else f"📅 {due.isoformat()}")
    if style.tag:
        parts.append(f"#{style.tag}")
    return " ".join(parts)


def with_lines(text: str, lines: Iterable[str]) -> str:
    """Add lines after the last list item of a note; every other byte stays."""
    newline = "\r\n" if "\r\n" in text else "\n"
    every = text.splitlines(keepends=True)
    last = max((place for place, line in enumerate(every) if _is_item(line)), default=-1)
    at = last + 1 if last >= 0 else len(every)
    before = "".join(every[:at])
    gap = "" if not before or before.endswith("\n") else newline
    added = "".join(f"{line}{newline}" for line in lines)
    return f"{before}{gap}{newline if last < 0 else ''}{added}{''.join(every[at:])}"


def _is_item(line: str) -> bool:
    return re.match(r"[ \t]*[-*+] \[.\] ", line) is not None
