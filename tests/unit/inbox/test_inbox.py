"""Writing into a real vault with a real store, and being killed at every step of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from daemon.findings.block import Box
from daemon.findings.decisions import Decisions
from daemon.findings.digest import with_entry
from daemon.findings.render import finding_text
from daemon.findings.review import Decision, by_command, decide, sightings
from daemon.inbox.files import InboxFiles
from daemon.inbox.inbox import Inbox
from daemon.inbox.stores import OwnNotes
from daemon.model.agenda import AgendaStatus
from daemon.model.errors import VaultError
from daemon.model.finding import Finding, FindingRecord, FindingStatus, InboxLayout
from daemon.model.own_notes import SeenNote
from daemon.store.agendas import AgendaStore
from daemon.store.db import Database
from daemon.store.digests import DigestStore, digest_id
from daemon.store.findings import FindingStore
from daemon.store.own_notes import OwnNoteStore
from tests.fakes.values import INBOX, NOW, a_document, a_finding, a_hit, an_agenda
from vault_adapters.edit import read_property
from vault_adapters.own_writes import OwnWrites
from vault_adapters.wikilink import Linker
from vault_adapters.writer import InboxWriter, content_hash

ACCEPTED, DISMISSED, PENDING = (
    FindingStatus.ACCEPTED,
    FindingStatus.DISMISSED,
    FindingStatus.PENDING,
)
NAME = "2026-11-21 Latency of cooperative schedulers.md"
TEXT = finding_text(a_finding(), link=Linker([]))
DIGEST = f'---\nlacuna_id: {digest_id("r-1")}\nruns: ["r-1"]\n---\n## 09:30\n\none ^run-r-1\n'


def entry(run: str, text: str) -> Callable[[str], str]:
    """What adds a run's entry to a digest."""
    return partial(with_entry, run=run, entry=text)


@dataclass
class Home:
    """A vault and a state folder on disk, opened as a daemon would; may be closed and reopened."""

    root: Path
    database: Path
    layout: InboxLayout = InboxLayout.RUNS
    db: Database = field(init=False)

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        self.db = Database(self.database)
        self.findings, self.agendas = FindingStore(self.db), AgendaStore(self.db)
        self.digests = DigestStore(self.db)
        files = InboxFiles(self.root, INBOX, OwnWrites())
        self.inbox = Inbox(
            files,
            OwnNotes(self.findings, self.agendas, self.digests, OwnNoteStore(self.db)),
            layout=self.layout,
        )
        self.decisions = Decisions(files, self.findings)

    def reopen(self) -> None:
        self.db.close()
        self.open()

    @property
    def folder(self) -> Path:
        return self.root / INBOX

    def files(self) -> dict[str, str]:
        """Return every file of the vault (hidden ones too) with its text."""
        return {
            path.relative_to(self.root).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }

    def sightings(self) -> list[tuple[str, SeenNote]]:
        return [
            (
                str(read_property(text, "lacuna_id")),
                SeenNote(path, text, content_hash(text.encode())),
            )
            for path, text in self.files().items()
            if path.endswith(".md") and read_property(text, "lacuna_id")
        ]

    def review(self) -> list[FindingRecord | None]:
        """Look at every note and carry out what was decided, once."""
        records = self.findings.reviewable()
        seen = sightings(records, self.sightings(), inbox=INBOX)
        grace = timedelta(hours=24)
        decisions = decide(records, seen, now=NOW, grace=grace, inbox=INBOX)
        return [self.decisions.apply(decision, now=NOW) for decision in decisions]

    def tick(self, path: Path, *boxes: Box) -> None:
        text = path.read_text(encoding="utf-8")
        for box in boxes:
            text = text.replace(f"- [ ] {box}\n", f"- [x] {box}\n")
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    (tmp_path / "vault").mkdir()
    home = Home(tmp_path / "vault", tmp_path / "state" / "lacuna.db")
    yield home
    home.db.close()


def titled(title: str, id: str = "f-222222222222") -> Finding:
    document = a_document(hit=a_hit(title=title), key=f"key:{id}")
    return a_finding(id=id, document=document)


def test_a_finding_is_written_under_its_day_and_title(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    assert record.path == f"{INBOX}/{NAME}"
    assert home.files() == {record.path: TEXT}
    assert home.findings.get(record.id) == record
    assert record.content_hash == content_hash(TEXT.encode())
    assert home.findings.pending() == []


def test_adding_a_finding_twice_writes_it_once(home: Home) -> None:
    first = home.inbox.add_finding(a_finding(), TEXT)
    assert home.inbox.add_finding(a_finding(title="another"), "other text") == first
    assert home.files() == {first.path: TEXT}


def test_a_finding_that_the_user_deleted_is_not_written_again(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    (home.root / record.path).unlink()
    home.reopen()
    assert home.inbox.resume() == []
    home.inbox.add_finding(a_finding(), TEXT)
    assert home.files() == {}


@pytest.mark.parametrize(
    "title", ["../../etc/passwd", "a|b [[c]] #d ^e", "CON", "", "日" * 300, ".hidden", "a\x00b"]
)
def test_any_title_becomes_a_note_in_the_inbox(home: Home, title: str) -> None:
    record = home.inbox.add_finding(titled(title), TEXT)
    (path,) = home.files()
    assert path == record.path
    assert path.startswith(f"{INBOX}/2026-11-21")
    assert path.count("/") == 2
    assert not set(path) & set('|[]#^<>:"\\')


def test_no_note_takes_a_name_that_is_in_the_vault(home: Home) -> None:
    taken = ["Old/2026-11-21 LATENCY of cooperative schedulers.md"]
    first = home.inbox.add_finding(a_finding(), TEXT, taken=taken)
    second = home.inbox.add_finding(a_finding(id="f-333333333333"), TEXT, taken=taken)
    assert {Path(record.path).stem for record in (first, second)} == {
        f"{NAME.removesuffix('.md')} 2",
        f"{NAME.removesuffix('.md')} 3",
    }


RUN_FOLDER = f"{INBOX}/2026-11-21 Rust async"


def in_run_folder(home: Home) -> tuple[FindingRecord, FindingRecord]:
    """Two findings of one run in its folder."""
    other = titled("Another")
    return (
        home.inbox.add_finding(a_finding(), TEXT, run_folder="2026-11-21 Rust async"),
        home.inbox.add_finding(
            other, TEXT.replace(a_finding().id, other.id), run_folder="2026-11-21 Rust async"
        ),
    )


def test_a_run_may_have_a_folder_of_its_own(home: Home) -> None:
    one, other = in_run_folder(home)
    assert (one.path, other.path) == (
        f"{RUN_FOLDER}/{NAME}",
        f"{RUN_FOLDER}/2026-11-21 Another.md",
    )
    hostile = titled("Third", "f-333333333333")
    third = home.inbox.add_finding(hostile, TEXT, run_folder="2026-11-21 ../../x: [[y]]")
    assert third.path.startswith(f"{INBOX}/2026-11-21 ")
    assert third.path.count("/") == INBOX.count("/") + 2


def test_without_folders_all_findings_lie_in_the_inbox_itself(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    home = Home(tmp_path / "vault", tmp_path / "lacuna.db", InboxLayout.FLAT)
    assert {record.path.rpartition("/")[0] for record in in_run_folder(home)} == {INBOX}
    home.db.close()


def test_renaming_a_runs_folder_or_moving_a_finding_within_the_inbox_decides_nothing(
    home: Home,
) -> None:
    in_run_folder(home)
    (home.root / RUN_FOLDER).rename(home.folder / "To read")
    (home.folder / "To read" / NAME).rename(home.folder / NAME)
    home.review()
    assert {record.status for record in home.findings.all()} == {PENDING}
    assert {record.path for record in home.findings.all()} == {
        f"{INBOX}/{NAME}",
        f"{INBOX}/To read/2026-11-21 Another.md",
    }
    (home.folder / NAME).rename(home.root / NAME)
    home.review()
    assert [record.status for record in home.findings.all()].count(ACCEPTED) == 1


def test_findings_in_a_runs_folder_are_reviewed_as_others_and_an_empty_one_goes(
    home: Home,
) -> None:
    one, other = in_run_folder(home)
    home.tick(home.root / one.path, Box.DISMISS)
    home.review()
    assert (home.folder / "Archive" / NAME).is_file()
    archived = home.findings.get(one.id)
    assert archived is not None
    home.decisions.apply(by_command(archived, PENDING), now=NOW)
    assert (home.root / one.path).is_file()  # back to where the others of its run are
    home.inbox.files.remove_empty_folders()
    assert (home.root / RUN_FOLDER).is_dir()
    for record in (one, other):
        (home.root / record.path).unlink()
    (home.folder / "Mine").mkdir()
    home.inbox.files.remove_empty_folders()
    assert not (home.root / RUN_FOLDER).exists()
    assert (home.folder / "Mine").is_dir()


def test_agenda_and_digest_are_named_by_their_time(home: Home) -> None:
    agenda = home.inbox.write_agenda(an_agenda(), "agenda")
    path = home.inbox.write_digest("r-1", DIGEST, entry("r-1", ""), created_at=NOW)
    assert agenda.path == f"{INBOX}/Agenda 2026-11-21 0930.md"
    assert home.agendas.get(agenda.id) == agenda
    assert home.agendas.content_hash(agenda.id) == content_hash(b"agenda")
    assert path == f"{INBOX}/Digest 2026-11-21.md"
    assert home.inbox.write_digest("r-1", "other", entry("r-1", ""), created_at=NOW) == path
    assert home.inbox.write_agenda(an_agenda(), "other") == agenda
    assert home.files() == {agenda.path: "agenda", path: DIGEST}


def test_all_runs_of_a_day_are_in_one_digest_and_those_of_the_next_day_in_another(
    home: Home,
) -> None:
    path = home.inbox.write_digest("r-1", DIGEST, entry("r-1", ""), created_at=NOW)
    for _ in range(2):
        assert (
            home.inbox.write_digest("r-2", "unused", entry("r-2", "two ^run-r-2\n"), created_at=NOW)
            == path
        )
    text = DIGEST.replace('["r-1"]', '["r-1", "r-2"]') + "\ntwo ^run-r-2\n"
    assert home.files() == {path: text}
    later = home.inbox.write_digest(
        "r-3", "next", entry("r-3", ""), created_at=NOW + timedelta(days=1)
    )
    assert home.files() == {path: text, later: "next"}


def test_what_the_user_wrote_in_a_digest_stays_and_is_yet_to_be_read(home: Home) -> None:
    path = home.inbox.write_digest("r-1", DIGEST, entry("r-1", ""), created_at=NOW)
    (home.root / path).write_text(DIGEST + "- [x] Accept ^accept-f-1\n")
    home.inbox.write_digest("r-2", "unused", entry("r-2", "two ^run-r-2\n"), created_at=NOW)
    assert "- [x] Accept ^accept-f-1\n\ntwo ^run-r-2\n" in (home.root / path).read_text()
    assert [row.content_hash for row in home.digests.all()] == [""]


@pytest.mark.parametrize("to", ["Elsewhere/Digest.md", f"{INBOX}/Archive/Digest.md", ""])
def test_a_digest_that_was_removed_is_closed_and_another_is_begun(home: Home, to: str) -> None:
    path = home.inbox.write_digest("r-1", DIGEST, entry("r-1", ""), created_at=NOW)
    if to:
        (home.root / to).parent.mkdir(parents=True, exist_ok=True)
        (home.root / path).rename(home.root / to)
    else:
        (home.root / path).unlink()
    again = home.inbox.write_digest("r-2", "another", entry("r-2", "unused"), created_at=NOW)
    assert (home.root / again).read_text() == "another"
    assert not to or (home.root / to).read_text() == DIGEST


def test_an_agenda_note_is_brought_up_to_date(home: Home) -> None:
    agenda = home.inbox.write_agenda(an_agenda(), "words of mine")
    done = replace(agenda, status=AgendaStatus.DONE)
    assert home.inbox.update_agenda(done, str.upper)
    assert home.files() == {agenda.path: "WORDS OF MINE"}
    assert home.agendas.get(agenda.id) == done
    assert home.agendas.content_hash(agenda.id) == content_hash(b"WORDS OF MINE")


def test_an_agenda_whose_note_is_gone_is_kept_all_the_same(home: Home) -> None:
    agenda = home.inbox.write_agenda(an_agenda(), "words")
    (home.root / str(agenda.path)).unlink()
    done = replace(agenda, status=AgendaStatus.DONE)
    assert home.inbox.update_agenda(done, str.upper)
    assert home.agendas.get(agenda.id) == done
    assert home.files() == {}


def test_an_agenda_note_that_is_being_edited_is_not_overwritten(home: Home) -> None:
    agenda = home.inbox.write_agenda(an_agenda(), "words")
    done = replace(agenda, status=AgendaStatus.DONE)

    def edit(text: str) -> str:
        (home.root / str(agenda.path)).write_text("typing", encoding="utf-8")
        return text.upper()

    assert not home.inbox.update_agenda(done, edit)
    assert home.agendas.get(agenda.id) == done
    assert home.files() == {agenda.path: "typing"}


def test_a_full_or_read_only_disk_is_reported_and_the_write_stays_pending(home: Home) -> None:
    home.folder.parent.mkdir(parents=True)
    home.folder.write_text("a file where the folder is to be", encoding="utf-8")
    with pytest.raises(VaultError, match=INBOX):
        home.inbox.add_finding(a_finding(), TEXT)
    home.folder.unlink()
    pending_write = home.findings.pending()
    assert home.inbox.resume() == [promise.path for promise in pending_write]
    assert list(home.files().values()) == [TEXT] * len(pending_write)


def test_files_left_by_a_killed_process_are_removed(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    (home.folder / ".lacuna-0123456789abcdef.tmp").write_text("half", encoding="utf-8")
    assert home.inbox.files.remove_temporary() == 1
    assert home.files() == {record.path: TEXT}
    assert home.inbox.files.read(record.path) == TEXT
    assert home.inbox.files.read("Notes/elsewhere.md") is None


def test_accepting_leaves_a_clean_note_where_it_is(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    path = home.root / record.path
    home.tick(path, Box.ACCEPT)
    path.write_text(path.read_text(encoding="utf-8") + "\nMy own thought.\n", encoding="utf-8")
    (kept,) = home.review()
    assert kept is not None
    assert (kept.status, kept.decided_at, kept.path) == (ACCEPTED, NOW, record.path)
    text = path.read_text(encoding="utf-8")
    assert text == TEXT.replace("status: pending", "status: accepted").partition("## Review")[0] + (
        "My own thought.\n"
    )
    assert home.review() == []


def test_dismissing_archives_the_note(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    home.tick(home.root / record.path, Box.NEVER)
    (kept,) = home.review()
    assert kept is not None
    assert (kept.status, kept.path) == (DISMISSED, f"{INBOX}/Archive/{NAME}")
    assert list(home.files()) == [kept.path]
    assert home.agendas.never_topics() == {"rust async"}
    assert home.review() == []


@pytest.mark.parametrize("box", [Box.ACCEPT, Box.DISMISS, Box.NEVER])
def test_an_undone_decision_leaves_the_note_as_it_was(home: Home, box: Box) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    home.tick(home.root / record.path, box)
    (decided,) = home.review()
    assert decided is not None
    path = home.root / decided.path
    path.write_text(
        path.read_text(encoding="utf-8").replace(f"status: {decided.status}", "status: pending"),
        encoding="utf-8",
    )
    (undone,) = home.review()
    assert undone == replace(record, content_hash=undone.content_hash if undone else "")
    assert home.files() == {record.path: TEXT}
    assert home.agendas.never_topics() == frozenset()
    assert home.review() == []


def test_a_note_moved_out_is_accepted_and_no_longer_ours_to_write(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    (home.root / "Notes").mkdir()
    (home.root / record.path).rename(home.root / "Notes/Mine.md")
    (kept,) = home.review()
    assert kept is not None
    assert (kept.status, kept.path) == (ACCEPTED, "Notes/Mine.md")
    assert home.files() == {"Notes/Mine.md": TEXT}
    assert home.review() == []


def test_a_deleted_note_is_dismissed_when_its_grace_is_over(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    (home.root / record.path).unlink()
    (missing,) = home.review()
    assert missing is not None
    assert (missing.status, missing.missing_at) == (PENDING, NOW)
    assert home.review() == []
    later = decide(
        home.findings.reviewable(), {}, now=NOW + timedelta(hours=24),
        grace=timedelta(hours=24), inbox=INBOX,
    )  # fmt: skip
    kept = home.decisions.apply(later[0], now=NOW + timedelta(hours=24))
    assert kept is not None
    assert kept.status is DISMISSED
    assert home.files() == {}


def test_a_note_that_comes_back_is_reviewed_as_before(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    (home.root / record.path).unlink()
    home.review()
    (home.root / record.path).write_text(TEXT, encoding="utf-8")
    assert home.review() == [record]


def test_a_note_changed_since_it_was_read_waits_for_the_next_review(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    stale = Decision(record.id, ACCEPTED, "", record.path, hash="0" * 64)
    assert home.decisions.apply(stale, now=NOW) is None
    assert home.findings.get(record.id) == record
    assert home.files() == {record.path: TEXT}


def test_a_note_changed_during_the_write_waits_for_the_next_review(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    write = InboxWriter.write

    def typed_in_between(writer: InboxWriter, path: str, text: str, *, expected: str | None) -> str:
        (home.root / path).write_text("typing", encoding="utf-8")
        return write(writer, path, text, expected=expected)

    monkeypatch.setattr(InboxWriter, "write", typed_in_between)
    assert home.decisions.apply(by_command(record, ACCEPTED), now=NOW) is None
    assert home.files() == {record.path: "typing"}
    assert home.findings.get(record.id) == record


def test_a_command_decides_on_the_note_as_it_is_now(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    path = home.root / record.path
    path.write_text(TEXT + "\nMine.\n", encoding="utf-8")
    kept = home.decisions.apply(by_command(record, DISMISSED), now=NOW)
    assert kept is not None
    text = (home.root / kept.path).read_text(encoding="utf-8")
    assert text == TEXT.replace("status: pending", "status: dismissed") + "\nMine.\n"
    assert home.review() == []


def test_a_command_decides_on_a_note_that_is_gone(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    (home.root / record.path).unlink()
    kept = home.decisions.apply(by_command(record, ACCEPTED), now=NOW)
    assert kept is not None
    assert kept.status is ACCEPTED
    assert home.files() == {}


def test_a_byte_order_mark_stays(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    path = home.root / record.path
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert home.decisions.apply(by_command(record, DISMISSED), now=NOW) is not None
    assert (home.folder / "Archive" / NAME).read_bytes().startswith(b"\xef\xbb\xbf---\n")


def test_a_note_that_is_not_utf8_is_never_rewritten(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    broken = TEXT.encode() + b"caf\xe9\n"
    (home.root / record.path).write_bytes(broken)
    assert home.decisions.apply(by_command(record, ACCEPTED), now=NOW) is None
    assert (home.root / record.path).read_bytes() == broken


def test_an_archived_name_that_is_taken_gets_a_number(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    (home.folder / "Archive").mkdir()
    (home.folder / "Archive" / NAME).write_text("an older one", encoding="utf-8")
    kept = home.decisions.apply(
        by_command(record, DISMISSED), now=NOW, taken=[record.path, f"{INBOX}/Archive/{NAME}"]
    )
    assert kept is not None
    assert kept.path == f"{INBOX}/Archive/{NAME.removesuffix('.md')} 2.md"


def test_a_pending_note_whose_name_was_taken_gets_another_name(home: Home) -> None:
    finding = a_finding()
    path = f"{INBOX}/{NAME}"
    record = home.inbox.add_finding(finding, TEXT)
    home.db.execute("UPDATE findings SET written = 0, note = ?", (TEXT,))
    (home.root / path).write_text("the user's own", encoding="utf-8")
    (written,) = home.inbox.resume()
    assert home.files() == {path: "the user's own", written: TEXT}
    kept = home.findings.get(record.id)
    assert kept is not None
    assert kept.path == written != path


def test_a_pending_note_that_the_user_moved_is_not_written_twice(home: Home) -> None:
    record = home.inbox.add_finding(a_finding(), TEXT)
    home.db.execute("UPDATE findings SET written = 0, note = ?", (TEXT,))
    (home.root / record.path).rename(home.root / "Mine.md")
    assert home.inbox.resume({record.id: "Mine.md"}) == []
    assert home.files() == {"Mine.md": TEXT}
    assert [kept.path for kept in home.findings.reviewable()] == ["Mine.md"]


def test_a_pending_write_survives_a_change_of_the_inbox_setting(home: Home) -> None:
    home.inbox.add_finding(a_finding(), TEXT)
    home.db.execute("UPDATE findings SET written = 0, note = ?, path = 'Old/x.md'", (TEXT,))
    assert home.inbox.resume() == [f"{INBOX}/x.md"]


class KilledError(BaseException):
    """Stands for `kill -9`: nothing in the code under test may catch it and go on."""


class Killer:
    """Counts the steps that reach the disk, and ends the process before or after one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        self.at = -1
        for owner, names in ((Database, ("execute",)), (InboxWriter, ("write", "move"))):
            for name in names:
                monkeypatch.setattr(owner, name, self._watched(getattr(owner, name)))

    def _watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*given: Any, **named: Any) -> Any:
            self._count()
            result = function(*given, **named)
            self._count()
            return result

        return step

    def _count(self) -> None:
        if self.steps == self.at:
            raise KilledError
        self.steps += 1

    def kill(self, at: int) -> None:
        self.steps, self.at = 0, at


def write_everything(home: Home) -> None:
    """What a run does; taken up again after a kill it does the same once more."""
    home.inbox.write_agenda(an_agenda(), "---\nlacuna_id: a-0123456789ab\n---\n")
    for finding in (a_finding(), titled("Another")):
        home.inbox.add_finding(finding, TEXT.replace(a_finding().id, finding.id))
    home.inbox.write_digest("r-1", DIGEST, entry("r-1", ""), created_at=NOW)
    home.inbox.write_digest("r-2", "unused", entry("r-2", "two ^run-r-2\n"), created_at=NOW)


def test_killed_anywhere_every_note_is_written_exactly_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer(monkeypatch)
    got_through = False
    for number in range(40):
        (tmp_path / f"{number}").mkdir()
        home = Home(tmp_path / f"{number}", tmp_path / f"{number}.db")
        killer.kill(number)
        try:
            write_everything(home)
            got_through = True
        except KilledError:
            killer.kill(-1)
            home.reopen()
            home.inbox.resume({id: seen.path for id, seen in home.sightings()})
        killer.kill(-1)
        write_everything(home)
        assert sorted(home.files()) == [
            f"{INBOX}/2026-11-21 Another.md",
            f"{INBOX}/{NAME}",
            f"{INBOX}/Agenda 2026-11-21 0930.md",
            f"{INBOX}/Digest 2026-11-21.md",
        ]
        assert len(home.findings.reviewable()) == 2
        assert home.inbox.resume() == []
        digest = (home.root / f"{INBOX}/Digest 2026-11-21.md").read_text()
        assert (digest.count("^run-r-1"), digest.count("^run-r-2")) == (1, 1)
        assert [row.runs for row in home.digests.all()] == [("r-1", "r-2")]
        home.db.close()
        if got_through:
            break
    assert got_through


@pytest.mark.parametrize("box", list(Box))
def test_killed_anywhere_no_decision_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, box: Box
) -> None:
    killer = Killer(monkeypatch)
    got_through = False
    for number in range(30):
        (tmp_path / f"{number}").mkdir()
        home = Home(tmp_path / f"{number}", tmp_path / f"{number}.db")
        record = home.inbox.add_finding(a_finding(), TEXT)
        home.tick(home.root / record.path, box)
        killer.kill(number)
        try:
            home.review()
            got_through = True
        except KilledError:
            killer.kill(-1)
            home.reopen()
        killer.kill(-1)
        home.inbox.resume()
        home.review()
        (kept,) = home.findings.all()
        is_accepted = box is Box.ACCEPT
        assert kept.status is (ACCEPTED if is_accepted else DISMISSED)
        assert list(home.files()) == [kept.path]
        assert kept.path == (record.path if is_accepted else f"{INBOX}/Archive/{NAME}")
        assert home.agendas.never_topics() == ({"rust async"} if box is Box.NEVER else set())
        assert home.review() == []
        home.db.close()
        if got_through:
            break
    assert got_through
