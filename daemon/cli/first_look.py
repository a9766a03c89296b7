"""The first scan of a vault: its facts, and a few questions about them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from daemon.cli.output import printable
from daemon.index.plain import plain
from daemon.language.detect import detect, listed
from daemon.model_files import better_model
from vault_adapters.base import NoteError, VaultAdapter
from vault_adapters.layout import guess
from vault_adapters.note import Role, VaultFile

_SAMPLED, _READ = 100, 1_500  # notes, and characters of each
_YES, _NO = frozenset({"y", "yes"}), frozenset({"n", "no"})  # common answers that are not a folder
_UNLINKABLE = frozenset("[]#^|")


@dataclass(frozen=True, slots=True)
class Questions:
    """Asks on stderr, each question after an explanation; without `asks` the defaults are used."""

    asks: bool

    def confirm(self, why: str, question: str) -> bool:
        if not self.asks:
            return True
        click.echo(f"\n{printable(why)}", err=True)
        return click.confirm(printable(question), default=True, err=True)

    def text(self, why: str, question: str, default: str) -> str:
        """Ask for a text. A yes takes the default, a no asks again: neither is an answer."""
        if not self.asks:
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
        if not self.asks or len(options) == 1:
            return options[0]
        click.echo(f"\n{printable(why)}", err=True)
        for number, path in enumerate(options, 1):
            click.echo(f"  {number}  {printable(str(path))}", err=True)
        numbers = click.IntRange(1, len(options))
        chosen: int = click.prompt("Which one", default=1, type=numbers, err=True)
        return options[chosen - 1]


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The content of a vault: its notes, and folders that its tool's settings do not name."""

    kind: str
    notes: int
    templates: tuple[str, ...]
    daily_notes: tuple[str, ...]
    attachments: tuple[str, ...]
    inbox: str  # an existing folder for new things, or ""
    languages: Mapping[str, float]  # the share of sampled notes in each, largest first

    @property
    def own_inbox(self) -> str:
        """Return where findings would go then: a folder of their own in it."""
        return f"{self.inbox}/Research" if self.inbox else ""


def look_at(adapter: VaultAdapter) -> FirstLook:
    """Read names and folders, and a sample of the notes. Raises VaultError."""
    files = adapter.scan().files
    seen = guess(file.path for file in files)
    return FirstLook(
        kind=adapter.name,
        notes=sum(file.path.endswith(".md") for file in files),
        templates=_unknown(seen.templates, files, Role.TEMPLATE),
        daily_notes=_unknown(seen.daily_notes, files, Role.DAILY),
        attachments=seen.attachments,
        inbox="" if _UNLINKABLE.intersection(seen.inbox) else seen.inbox,
        languages=detect(_sample(adapter, files)),
    )


def _sample(adapter: VaultAdapter, files: Sequence[VaultFile]) -> Iterator[str]:
    """Return the text of some notes from all over the vault."""
    notes = [file for file in files if file.role is Role.NOTE]
    for file in notes[:: max(1, len(notes) // _SAMPLED)]:
        try:
            note = adapter.read(file.path)
        except NoteError:
            continue
        body = "\n".join(note.text.split("\n")[note.body_line :])
        yield plain(body[:_READ])


def ask_about(
    look: FirstLook, questions: Questions, *, inbox: str | None, usual: str, model: str
) -> dict[str, object]:
    """Ask what only the user can know; return the resulting settings, by key.

    `inbox` is a given one, or None; `usual` is the default. `model` is the configured embedding
    model.
    """
    chosen: dict[str, object] = {}
    other = better_model(look.languages, model)
    if other and questions.asks:
        why = (
            f"The notes are in {listed(look.languages)}. {model} does not support that, so search "
            f"and suggestions would use words only. {other} supports it."
        )
        if questions.confirm(why, "Use that model?"):
            chosen["embedding.model"] = other
    if inbox is None:
        why = (
            "Findings are written to one folder of the vault, as notes of their own, and to nothing"
            " else."
        )
        answer = questions.text(why, "Folder for findings", look.own_inbox or usual)
        if answer != usual:
            chosen["inbox.folder"] = answer
    if look.templates:
        why = (
            f"{_listed(look.templates)} looks like templates. Templates are not notes: nothing in "
            "them is researched or linked to."
        )
        if questions.confirm(why, "Exclude them?"):
            chosen["notes.templates"] = list(look.templates)
    if look.daily_notes:
        why = (
            f"{_listed(look.daily_notes)} looks like daily notes. They are searched, but none of"
            " them counts as an orphan."
        )
        if questions.confirm(why, "Treat them as daily notes?"):
            chosen["notes.daily_notes"] = list(look.daily_notes)
    return chosen


def _unknown(folders: Iterable[str], files: Iterable[VaultFile], role: Role) -> tuple[str, ...]:
    """Return the folders whose notes' roles are mostly unknown to the vault's own settings."""
    notes = [file for file in files if file.path.endswith(".md")]
    found = []
    for folder in folders:
        below = [file for file in notes if file.path.startswith(f"{folder}/")]
        if 2 * sum(file.role is role for file in below) < len(below):
            found.append(folder)
    return tuple(found)


def _listed(folders: Iterable[str]) -> str:
    return ", ".join(f"“{folder}”" for folder in folders)
