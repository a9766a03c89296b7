"""`lacuna backup` and `lacuna restore`: one file, whole, checked, and without keys."""

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.config import state_folder
from daemon.store.db import Database
from daemon.store.lock import WriterLock
from daemon.store.schema import MIGRATIONS
from tests.fakes.cli import Cli, contents
from tests.fakes.keyring import FakeKeyring

QUESTION = "why does bread go stale in the fridge"
KEY = "BSA-very-secret"
Members = dict[str, bytes]


@pytest.fixture
def researched(ready: Cli) -> Cli:
    """A vault with a run, a finding of it, and settings with a comment."""
    assert len(ready("research", QUESTION, "--json").json["findings"]) == 1
    ready.config.write_text(f"# mine\n{ready.config.read_text()}")
    return ready


@pytest.fixture
def saved(researched: Cli, tmp_path: Path) -> Path:
    """A backup of it."""
    file = tmp_path / "backup.tar.gz"
    assert researched("backup", file).code == 0
    return file


def members(file: Path) -> Members:
    found = {}
    with tarfile.open(file) as tar:
        for member in tar:
            content = tar.extractfile(member)
            assert content is not None
            found[member.name] = content.read()
    return found


def rewrite(file: Path, change: Callable[[tarfile.TarFile, Members], None]) -> None:
    """Write the archive again, after `change` has changed what is in it."""
    held = members(file)
    with tarfile.open(file, "w:gz") as tar:
        change(tar, held)
        for name, data in held.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def test_a_backup_holds_the_state_the_runs_and_the_settings(
    researched: Cli, vault: Path, tmp_path: Path
) -> None:
    file = tmp_path / "backup.tar.gz"
    reported = researched("backup", file, "--json").json
    assert (reported["file"], reported["runs"], reported["left_out"]) == (str(file), 1, [])
    assert reported["bytes"] == file.stat().st_size
    held = members(file)
    assert held["settings/config.toml"].startswith(b"# mine\n")
    assert held["settings/sources.yaml"] == researched.sources.read_bytes()
    runs = state_folder(vault) / "runs"
    assert {
        name.removeprefix("state/runs/"): data
        for name, data in held.items()
        if name.startswith("state/runs/")
    } == contents(runs)
    assert file.stat().st_mode & 0o777 == 0o600
    assert set(json.loads(held["manifest.json"])["files"]) == set(held) - {"manifest.json"}
    assert [path for path in file.parent.iterdir() if path.name.startswith(".")] == []


def test_without_a_name_it_is_named_after_vault_and_time(researched: Cli, tmp_path: Path) -> None:
    reported = researched("backup", "--json").json
    assert Path(reported["file"]).parent == tmp_path
    assert Path(reported["file"]).name.startswith("lacuna-kuche-garten-")


def test_no_key_is_in_a_backup(researched: Cli, keyring: FakeKeyring, tmp_path: Path) -> None:
    researched("secrets", "set", "brave", text=KEY)
    researched.environment(LACUNA_EXA_API_KEY=f"{KEY}-too")
    library = researched.sources.read_text()
    written_out = (
        f"{library}# keep me\npapers:\n  type: mcp\n  enabled: false\n  command: [x]\n"
        f"  tool: search\n  env: {{PAPERS_TOKEN: {KEY}-written, LANG: C}}\n"
    )
    researched.sources.write_text(written_out)
    out = researched("backup", tmp_path / "backup.tar.gz").out
    assert "papers.env.PAPERS_TOKEN is written out in sources.yaml and was not saved" in out
    held = members(tmp_path / "backup.tar.gz")
    assert all(KEY.encode() not in data for data in held.values())
    assert b"# keep me" in held["settings/sources.yaml"]
    assert b"LANG: C" in held["settings/sources.yaml"]


def test_a_backup_can_be_made_while_the_daemon_runs(
    researched: Cli, vault: Path, tmp_path: Path
) -> None:
    state = state_folder(vault)
    writer = Database(state / "lacuna.db")
    with WriterLock(state / "daemon.lock", holder="lacuna run"), writer.transaction():
        writer.set_meta("half", "done")
        assert researched("backup", tmp_path / "backup.tar.gz").code == 0
        reported = researched("restore", tmp_path / "backup.tar.gz").complaint
        assert reported.startswith("lacuna run (pid ")
    writer.close()
    assert researched("restore", tmp_path / "backup.tar.gz").code == 0
    restored = Database(state / "lacuna.db")
    assert restored.get_meta("half") is None
    restored.close()


def test_a_backup_never_overwrites_a_file_or_writes_into_the_vault(
    researched: Cli, saved: Path, vault: Path
) -> None:
    before = saved.read_bytes()
    assert (
        researched("backup", saved).complaint == f"{saved} already exists: choose another file name"
    )
    assert saved.read_bytes() == before
    assert "is in the vault" in researched("backup", vault / "b.tar.gz").complaint
    assert not (vault / "b.tar.gz").exists()


def test_backup_before_the_first_index_reports_that_there_is_no_state(
    ready: Cli, tmp_path: Path
) -> None:
    assert "there is nothing to back up" in ready("backup", tmp_path / "b.tar.gz").complaint


def test_restore_brings_back_the_saved_state_and_keeps_the_current_one_aside(
    researched: Cli, saved: Path, vault: Path
) -> None:
    notes, state = contents(vault), state_folder(vault)
    runs = contents(state / "runs")
    (state / "runs" / "later").mkdir()
    database = Database(state / "lacuna.db")
    database.execute("UPDATE findings SET title = 'Later'")
    database.close()
    reported = researched("restore", saved, "--json").json
    assert contents(vault) == notes
    assert contents(state / "runs") == runs
    restored = Database(state / "lacuna.db")
    assert restored.value("SELECT title FROM findings") != "Later"
    restored.close()
    aside = Path(reported["aside"])
    assert (aside.parent, aside.name[:15]) == (state, "before-restore-")
    assert (aside / "runs" / "later").is_dir()
    kept = Database(aside / "lacuna.db")
    assert kept.value("SELECT title FROM findings") == "Later"
    kept.close()
    assert reported["settings"] == {}
    assert len(researched("findings", "--json").json) == 1
    assert researched("search", "stale bread", "--json").json


def test_a_decision_made_after_the_backup_is_read_again_from_the_vault(
    researched: Cli, saved: Path, vault: Path
) -> None:
    (finding,) = researched("findings", "--json").json
    researched("findings", "accept", finding["id"])
    researched("restore", saved)
    (again,) = researched("findings", "--json").json
    assert (again["id"], again["status"]) == (finding["id"], "accepted")


def test_restore_on_a_new_machine_brings_back_state_and_settings(
    researched: Cli, saved: Path, vault: Path
) -> None:
    settings = contents(researched.config.parent)
    for path in researched.config.parent.iterdir():
        path.unlink()
    state = state_folder(vault)
    state.rename(state.with_name("gone"))
    reported = researched("restore", saved, "--json").json
    assert (reported["vault"], reported["aside"]) == (str(vault), None)
    assert contents(researched.config.parent) == settings
    assert len(researched("findings", "--json").json) == 1


def test_restore_keeps_existing_settings_by_default(researched: Cli, saved: Path) -> None:
    saved_settings = researched.config.read_bytes()
    researched.config.write_bytes(saved_settings + b"\nresearch.max_findings = 9\n")
    reported = researched("restore", saved).out
    assert "config.toml: left unchanged; --settings restores that of the backup\n" in reported
    assert researched("config", "get", "research.max_findings").out == "9\n"
    assert (
        "config.toml: restored; the previous one is "
        in researched("restore", saved, "--settings").out
    )
    assert researched.config.read_bytes() == saved_settings
    (before,) = researched.config.parent.glob("config.toml.before-restore-*")
    assert b"research.max_findings = 9" in before.read_bytes()


def test_a_backup_of_another_vault_is_restored_only_when_the_vault_is_named(
    researched: Cli, saved: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    researched.settings(vault=other)
    reported = researched("restore", saved).complaint
    assert reported.startswith(f"{saved} is a backup of ")
    assert researched("restore", saved, "--vault", other).code == 0


def put(name: str, data: bytes = b"x") -> Callable[[tarfile.TarFile, Members], None]:
    return lambda _tar, held: held.update({name: data})


def add(member: tarfile.TarInfo) -> Callable[[tarfile.TarFile, Members], None]:
    return lambda tar, _held: tar.addfile(member)


def link(name: str, target: str, kind: bytes) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (put("../../escaped"), "contains '../../escaped', which no backup does"),
        (put("state/runs/../../../escaped"), "outside"),
        (put("/escaped"), "contains '/escaped', which no backup does"),
        (put("state/daemon.lock"), "contains 'state/daemon.lock', which no backup does"),
        (add(link("state/runs/r/link", "/etc", tarfile.SYMTYPE)), "which no backup does"),
        (add(link("state/runs/r/link", "../../x", tarfile.LNKTYPE)), "which no backup does"),
        (put("state/runs/r/more"), "is damaged: state/runs/r/more differs from the original"),
        (put("settings/config.toml"), "is damaged: settings/config.toml differs"),
        (lambda _tar, held: held.pop("manifest.json"), "is incomplete"),
        (lambda _tar, held: held.pop("state/lacuna.db"), "is incomplete"),
    ],
)
def test_a_tampered_archive_changes_nothing(
    researched: Cli,
    saved: Path,
    vault: Path,
    tmp_path: Path,
    change: Callable[[tarfile.TarFile, Members], None],
    reported: str,
) -> None:
    begin = members(saved)["about.json"]

    def about_first(tar: tarfile.TarFile, held: Members) -> None:
        member = tarfile.TarInfo("about.json")
        member.size = len(begin)
        tar.addfile(member, io.BytesIO(begin))
        held.pop("about.json")
        change(tar, held)

    rewrite(saved, about_first)
    before = contents(state_folder(vault))
    complaint = researched("restore", saved).complaint
    assert complaint.startswith(str(saved))
    assert reported == "outside" or reported in complaint
    assert contents(state_folder(vault)) == before
    assert list(tmp_path.rglob("escaped")) == []


@pytest.mark.parametrize("spoil", ["cut", "bits", "other", "none"])
def test_a_damaged_archive_is_reported_in_one_line(
    researched: Cli, saved: Path, vault: Path, spoil: str
) -> None:
    data = saved.read_bytes()
    before = contents(state_folder(vault))
    if spoil == "none":
        saved.unlink()
    else:
        saved.write_bytes(
            {
                "cut": data[: len(data) // 2],
                "bits": data[:2000] + bytes(byte ^ 255 for byte in data[2000:2100]) + data[2100:],
                "other": gzip.compress(b"no archive"),
            }[spoil]
        )
    assert str(saved) in researched("restore", saved).complaint
    assert contents(state_folder(vault)) == before


def test_a_backup_of_a_newer_lacuna_is_refused(researched: Cli, saved: Path, vault: Path) -> None:
    state = state_folder(vault)
    database = Database(state / "lacuna.db")
    database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    database.close()
    newer = saved.with_name("newer.tar.gz")
    reported = researched("backup", newer).complaint
    assert "written by a newer Lacuna" in reported

    def claim(_tar: tarfile.TarFile, held: Members) -> None:
        about = json.loads(held["about.json"])
        held["about.json"] = json.dumps(about | {"format": 2}).encode()

    rewrite(saved, claim)
    assert researched("restore", saved).complaint == (
        f"{saved} was made by a newer Lacuna: update Lacuna"
    )


def test_a_killed_restore_is_repeated(
    researched: Cli, saved: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_folder(vault)
    moved: list[str] = []

    class KilledError(BaseException):
        """As if the process ended there."""

    rename = Path.rename

    def killed(self: Path, target: Path) -> Path:
        if self.parent.name == "state":  # the new database, after the old one is gone
            raise KilledError
        moved.append(self.name)
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        with pytest.raises(KilledError):
            researched("restore", saved)
    assert {"lacuna.db", "runs"} <= set(moved)
    reported = researched("findings").complaint
    assert reported.endswith("a restore was not finished: repeat it with `lacuna restore FILE`")
    reported = researched("restore", saved, "--json").json
    assert (Path(reported["aside"]) / "lacuna.db").exists()
    assert len(researched("findings", "--json").json) == 1
    assert len(list(state.glob("before-restore-*"))) == 1
