"""The questions of `lacuna init` about a vault that was scanned."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from daemon.cli.output import printable
from daemon.usecases.setup import SetupQuestions

_YES, _NO = frozenset({"y", "yes"}), frozenset({"n", "no"})  # common answers that are not a folder


@dataclass(frozen=True, slots=True)
class Questions:
    """Asks on stderr, each question after an explanation; unless interactive, uses the defaults."""

    is_interactive: bool

    def confirm(self, why: str, question: str) -> bool:
        if not self.is_interactive:
            return True
        click.echo(f"\n{printable(why)}", err=True)
        return click.confirm(printable(question), default=True, err=True)

    def text(self, why: str, question: str, default: str) -> str:
        """Ask for a text. A yes takes the default, a no asks again: neither is an answer."""
        if not self.is_interactive:
            return default
        click.echo(f"\n{printable(why)}", err=True)
        while True:
            answer: str = click.prompt(printable(question), default=default, err=True).strip()
            if answer.casefold() in _YES:
                return default
            if answer.casefold() not in _NO:
                return answer
            click.echo(
                "Type another folder, or press Enter to accept the one in brackets.", err=True
            )

    def choose(self, why: str, options: list[Path]) -> Path:
        if not self.is_interactive or len(options) == 1:
            return options[0]
        click.echo(f"\n{printable(why)}", err=True)
        for number, path in enumerate(options, 1):
            click.echo(f"  {number}  {printable(str(path))}", err=True)
        numbers = click.IntRange(1, len(options))
        chosen: int = click.prompt("Which one", default=1, type=numbers, err=True)
        return options[chosen - 1]


def ask_questions(found: SetupQuestions, questions: Questions) -> dict[str, object]:
    """Ask what only the user can know; return the resulting settings, by key."""
    chosen: dict[str, object] = {}
    scan = found.scan
    if found.better_model and questions.is_interactive:
        why = (
            f"The notes are in {found.languages}. {found.model} does not support that, so search "
            f"and suggestions would use words only. {found.better_model} supports it."
        )
        if questions.confirm(why, "Use that model?"):
            chosen["embedding.model"] = found.better_model
    if found.inbox is None:
        why = (
            "Findings are written to one folder of the vault, as separate notes, and nowhere else."
        )
        usual = found.usual_inbox
        answer = questions.text(why, "Folder for findings", scan.own_inbox or usual)
        if answer != usual:
            chosen["inbox.folder"] = answer
    if scan.templates:
        why = (
            f"{_listed(scan.templates)} looks like templates. Templates are not notes: nothing in "
            "them is researched or linked to."
        )
        if questions.confirm(why, "Exclude them?"):
            chosen["notes.templates"] = list(scan.templates)
    if scan.daily_notes:
        why = (
            f"{_listed(scan.daily_notes)} looks like daily notes. They are searched, but none of"
            " them counts as an orphan."
        )
        if questions.confirm(why, "Treat them as daily notes?"):
            chosen["notes.daily_notes"] = list(scan.daily_notes)
    return chosen


def _listed(folders: Iterable[str]) -> str:
    return ", ".join(f"“{folder}”" for folder in folders)
