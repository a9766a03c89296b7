"""Only the inbox is written to, whole files only, and never over what somebody else wrote."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from vault_adapters import writer as writer_module
from vault_adapters.writer import (
    ChangedError,
    ExistsError,
    InboxWriter,
    OutsideError,
    WriteError,
    content_hash,
    name_key,
)

INBOX = "Inbox/Research"
NOTE = f"{INBOX}/2026-11-21 A finding.md"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    return root


@pytest.fixture
def inbox(vault: Path) -> InboxWriter:
    return InboxWriter(vault, INBOX)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_a_new_note_makes_its_folders_and_is_what_was_given(
    inbox: InboxWriter, vault: Path
) -> None:
    written = inbox.write(NOTE, "# Über\r\n\n日本\n", expected=None)
    data = (vault / NOTE).read_bytes()
    assert data == "# Über\r\n\n日本\n".encode()
    assert written == content_hash(data) == inbox.hash(NOTE)
    assert inbox.read(NOTE) == "# Über\r\n\n日本\n"
    assert _everything(vault) == {"Inbox", INBOX, NOTE}


def test_a_new_note_has_the_permissions_of_any_new_file(inbox: InboxWriter, vault: Path) -> None:
    inbox.write(NOTE, "text", expected=None)
    (vault / "other.md").write_text("x", encoding="utf-8")
    assert (vault / NOTE).stat().st_mode == (vault / "other.md").stat().st_mode


def test_a_file_that_is_there_already_is_never_written_over(
    inbox: InboxWriter, vault: Path
) -> None:
    (vault / INBOX).mkdir(parents=True)
    (vault / NOTE).write_text("the user's", encoding="utf-8")
    with pytest.raises(ExistsError, match="already exists"):
        inbox.write(NOTE, "ours", expected=None)
    assert (vault / NOTE).read_text(encoding="utf-8") == "the user's"
    assert _names(vault / INBOX) == [Path(NOTE).name]


@pytest.mark.parametrize("missing", ["renameat2", "both"])
def test_nor_where_the_system_cannot_rename_to_a_free_name_only(
    inbox: InboxWriter, vault: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def unsupported(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "invalid argument")

    monkeypatch.setattr(writer_module, "_rename_exclusive", unsupported)
    if missing == "both":
        monkeypatch.setattr(os, "link", unsupported)
    inbox.write(NOTE, "first", expected=None)
    with pytest.raises(ExistsError):
        inbox.write(NOTE, "second", expected=None)
    inbox.move(NOTE, f"{INBOX}/Archive/moved.md")
    assert (vault / INBOX / "Archive/moved.md").read_text(encoding="utf-8") == "first"
    assert len(_everything(vault)) == 4


def test_a_note_is_replaced_only_while_it_is_what_was_last_seen(
    inbox: InboxWriter, vault: Path
) -> None:
    seen = inbox.write(NOTE, "one", expected=None)
    seen = inbox.write(NOTE, "two", expected=seen)
    (vault / NOTE).write_text("two, and the user's words", encoding="utf-8")
    with pytest.raises(ChangedError, match="was changed"):
        inbox.write(NOTE, "three", expected=seen)
    assert (vault / NOTE).read_text(encoding="utf-8") == "two, and the user's words"
    (vault / NOTE).unlink()
    with pytest.raises(ChangedError, match="is gone"):
        inbox.write(NOTE, "three", expected=seen)
    assert _names(vault / INBOX) == []


def test_a_change_made_while_the_new_text_goes_to_disk_is_kept(
    inbox: InboxWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = inbox.write(NOTE, "one", expected=None)
    write = writer_module._write_temporary

    def slow_disk(folder: int, data: bytes, mode: int | None) -> str:
        (vault / NOTE).write_text("edited meanwhile", encoding="utf-8")
        return write(folder, data, mode)

    monkeypatch.setattr(writer_module, "_write_temporary", slow_disk)
    with pytest.raises(ChangedError):
        inbox.write(NOTE, "two", expected=seen)
    assert (vault / NOTE).read_text(encoding="utf-8") == "edited meanwhile"
    assert _names(vault / INBOX) == [Path(NOTE).name]


def test_replacing_keeps_the_permissions_the_user_gave(inbox: InboxWriter, vault: Path) -> None:
    seen = inbox.write(NOTE, "one", expected=None)
    (vault / NOTE).chmod(0o600)
    inbox.write(NOTE, "two", expected=seen)
    assert (vault / NOTE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "path",
    [
        "Home.md",
        "Inbox/Home.md",
        "Inbox/Researcher/x.md",
        f"{INBOX}/../../Home.md",
        f"{INBOX}/../x.md",
        f"{INBOX}/./x.md",
        f"{INBOX}//x.md",
        f"{INBOX}/",
        INBOX,
        f"/{INBOX}/x.md",
        "/etc/passwd",
        "../x.md",
        f"{INBOX}/x\0.md",
        "",
    ],
)
def test_a_path_that_is_not_in_the_inbox_is_refused(
    inbox: InboxWriter, vault: Path, path: str
) -> None:
    (vault / "Home.md").write_text("home", encoding="utf-8")
    attempts: tuple[Callable[[], object], ...] = (
        lambda: inbox.write(path, "ours", expected=None),
        lambda: inbox.write(path, "ours", expected=content_hash(b"home")),
        lambda: inbox.move(path, NOTE),
        lambda: inbox.read(path),
    )
    for attempt in attempts:
        with pytest.raises(OutsideError):
            attempt()
    assert _everything(vault) == {"Home.md"}


def test_moving_out_of_the_inbox_is_refused(inbox: InboxWriter, vault: Path) -> None:
    inbox.write(NOTE, "one", expected=None)
    with pytest.raises(OutsideError):
        inbox.move(NOTE, "Home.md")
    assert (vault / NOTE).exists()


@pytest.mark.parametrize("inbox_path", ["../out", "/out", "Inbox/../..", "", "."])
def test_an_inbox_that_is_not_a_folder_in_the_vault_is_refused(
    vault: Path, inbox_path: str
) -> None:
    with pytest.raises(OutsideError):
        InboxWriter(vault, inbox_path).write(f"{inbox_path}/x.md", "x", expected=None)
    assert not (vault.parent / "out").exists()


@pytest.mark.parametrize("linked", ["Inbox", INBOX, f"{INBOX}/Archive"])
def test_a_linked_folder_leads_nowhere(
    inbox: InboxWriter, vault: Path, tmp_path: Path, linked: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "Research/Archive").mkdir(parents=True)
    (outside / "Archive").mkdir()
    (outside / ".lacuna-0123456789abcdef.tmp").touch()
    before = _everything(outside)
    (vault / linked).parent.mkdir(parents=True, exist_ok=True)
    (vault / linked).symlink_to(outside)
    with pytest.raises(OutsideError, match="leads through a link"):
        inbox.write(f"{INBOX}/Archive/x.md", "ours", expected=None)
    if linked != f"{INBOX}/Archive":
        with pytest.raises(OutsideError):
            inbox.clean()
    else:
        assert inbox.clean() == 0
    assert _everything(outside) == before


def test_a_linked_note_is_neither_followed_nor_replaced(
    inbox: InboxWriter, vault: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("theirs", encoding="utf-8")
    (vault / INBOX).mkdir(parents=True)
    (vault / NOTE).symlink_to(outside)
    with pytest.raises(ExistsError):
        inbox.write(NOTE, "ours", expected=None)
    with pytest.raises(OutsideError):
        inbox.write(NOTE, "ours", expected=content_hash(b"theirs"))
    with pytest.raises(OutsideError):
        inbox.read(NOTE)
    assert outside.read_text(encoding="utf-8") == "theirs"
    assert (vault / NOTE).is_symlink()


def test_a_dangling_link_is_not_written_through(
    inbox: InboxWriter, vault: Path, tmp_path: Path
) -> None:
    (vault / INBOX).mkdir(parents=True)
    (vault / NOTE).symlink_to(tmp_path / "new.md")
    with pytest.raises(ExistsError):
        inbox.write(NOTE, "ours", expected=None)
    assert not (tmp_path / "new.md").exists()


def test_the_vault_itself_may_be_reached_through_a_link(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(vault)
    InboxWriter(tmp_path / "link", INBOX).write(NOTE, "ours", expected=None)
    assert (vault / NOTE).exists()


def test_a_file_in_place_of_the_inbox_is_one_clear_line(inbox: InboxWriter, vault: Path) -> None:
    (vault / "Inbox").write_text("a file", encoding="utf-8")
    with pytest.raises(OutsideError) as caught:
        inbox.write(NOTE, "ours", expected=None)
    assert "\n" not in str(caught.value)
    assert (vault / "Inbox").read_text(encoding="utf-8") == "a file"


def test_a_pipe_or_a_folder_in_place_of_a_note_does_not_hang(
    inbox: InboxWriter, vault: Path
) -> None:
    (vault / INBOX).mkdir(parents=True)
    os.mkfifo(vault / INBOX / "pipe.md")
    (vault / INBOX / "folder.md").mkdir()
    for name in ("pipe.md", "folder.md"):
        with pytest.raises(OutsideError):
            inbox.read(f"{INBOX}/{name}")


def test_a_vault_that_is_gone_is_one_clear_line(inbox: InboxWriter, vault: Path) -> None:
    vault.rmdir()
    with pytest.raises(WriteError, match="no such file or directory"):
        inbox.write(NOTE, "ours", expected=None)


def test_what_is_not_there_reads_as_nothing(inbox: InboxWriter, vault: Path) -> None:
    assert inbox.read(NOTE) is None
    assert inbox.hash(NOTE) is None
    (vault / INBOX).mkdir(parents=True)
    assert inbox.check(NOTE) is None


def test_a_note_is_moved_and_nothing_is_moved_over(inbox: InboxWriter, vault: Path) -> None:
    archived = f"{INBOX}/Archive/A finding.md"
    inbox.write(NOTE, "one", expected=None)
    inbox.move(NOTE, archived)
    assert (inbox.read(NOTE), inbox.read(archived)) == (None, "one")
    inbox.write(NOTE, "two", expected=None)
    with pytest.raises(ExistsError):
        inbox.move(NOTE, archived)
    assert (inbox.read(NOTE), inbox.read(archived)) == ("two", "one")
    with pytest.raises(WriteError, match=r"gone|no folder"):
        inbox.move(f"{INBOX}/missing.md", f"{INBOX}/x.md")


def test_temporary_files_are_hidden_and_known_by_their_name(
    inbox: InboxWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_rename_new", lambda *_: os._exit)
    inbox.write(NOTE, "never renamed", expected=None)
    (left,) = _names(vault / INBOX)
    assert left.startswith(".lacuna-")
    (vault / INBOX / "Archive").mkdir()
    (vault / INBOX / "Archive/.lacuna-0123456789abcdef.tmp").touch()
    kept = {".lacuna-mine.tmp", ".hidden", "lacuna-0123456789abcdef.tmp", "x.md"}
    for name in kept:
        (vault / INBOX / name).touch()
    (vault / ".lacuna-0123456789abcdef.tmp").touch()  # not in the inbox: not ours
    assert inbox.clean() == 2
    assert set(_names(vault / INBOX)) == kept | {"Archive"}
    assert (vault / ".lacuna-0123456789abcdef.tmp").exists()
    assert inbox.clean() == 0


def test_cleaning_where_there_is_no_inbox_yet_makes_none(inbox: InboxWriter, vault: Path) -> None:
    assert inbox.clean() == 0
    assert _everything(vault) == set()


def test_a_name_is_unique_in_the_whole_vault(inbox: InboxWriter, vault: Path) -> None:
    assert inbox.unique_path(INBOX, "CRDT", set()) == f"{INBOX}/CRDT.md"
    taken = {name_key("Local-first/crdt.md"), name_key("deep/er/CRDT 2.md")}
    assert inbox.unique_path(INBOX, "CRDT", taken) == f"{INBOX}/CRDT 3.md"
    (vault / INBOX).mkdir(parents=True)
    (vault / INBOX / "CAFE\u0301.md").touch()
    assert inbox.unique_path(INBOX, "Café", set()) == f"{INBOX}/Café 2.md"
    with pytest.raises(OutsideError):
        inbox.unique_path("Elsewhere", "x", set())


def test_no_descriptor_is_left_open(inbox: InboxWriter, vault: Path) -> None:
    open_now = Path("/proc/self/fd" if Path("/proc/self/fd").exists() else "/dev/fd")
    before = len(_names(open_now))
    seen = inbox.write(NOTE, "one", expected=None)
    for _ in range(5):
        seen = inbox.write(NOTE, "two", expected=seen)
        with pytest.raises(ExistsError):
            inbox.write(NOTE, "three", expected=None)
        with pytest.raises(ChangedError):
            inbox.write(NOTE, "three", expected="0" * 64)
        inbox.unique_path(INBOX, "x", set())
        inbox.read(f"{INBOX}/a/b/c.md")
        inbox.clean()
    assert len(_names(open_now)) == before
