"""The first scan of a vault: how many notes it has, in which languages, and its folders."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from daemon.index.plain_text import plain
from daemon.language.detect import detect
from daemon.model.progress import Progress, no_progress
from vault_adapters.base import NoteError, VaultAdapter
from vault_adapters.layout import guess
from vault_adapters.note import Role, VaultFile

_SAMPLED, _READ = 100, 1_500  # notes, and characters of each
_UNLINKABLE = frozenset("[]#^|")


@dataclass(frozen=True, slots=True)
class FirstScan:
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


def first_scan(adapter: VaultAdapter, progress: Progress = no_progress) -> FirstScan:
    """Read names and folders, and a sample of the notes. Raises VaultError."""
    files = adapter.scan().files
    seen = guess(file.path for file in files)
    return FirstScan(
        kind=adapter.name,
        notes=sum(file.path.endswith(".md") for file in files),
        templates=_unknown(seen.templates, files, Role.TEMPLATE),
        daily_notes=_unknown(seen.daily_notes, files, Role.DAILY),
        attachments=seen.attachments,
        inbox="" if _UNLINKABLE.intersection(seen.inbox) else seen.inbox,
        languages=detect(_sample(adapter, files, progress)),
    )


def _sample(adapter: VaultAdapter, files: Sequence[VaultFile], progress: Progress) -> Iterator[str]:
    """Return the text of some notes from all over the vault."""
    notes = [file for file in files if file.role is Role.NOTE]
    sample = notes[:: max(1, len(notes) // _SAMPLED)]
    for done, file in enumerate(sample):
        progress(done, len(sample), "reading some notes for their language")
        try:
            note = adapter.read(file.path)
        except NoteError:
            continue
        body = "\n".join(note.text.split("\n")[note.body_line :])
        yield plain(body[:_READ])


def _unknown(folders: Iterable[str], files: Iterable[VaultFile], role: Role) -> tuple[str, ...]:
    """Return the folders whose notes' roles are mostly unknown to the vault's own settings."""
    notes = [file for file in files if file.path.endswith(".md")]
    found = []
    for folder in folders:
        below = [file for file in notes if file.path.startswith(f"{folder}/")]
        if 2 * sum(file.role is role for file in below) < len(below):
            found.append(folder)
    return tuple(found)
