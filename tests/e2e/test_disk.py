"""A disk that is full, read-only or away: one line, nothing half-written, and it goes on after."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.model.request import RequestState
from daemon.store.db import Database
from daemon.store.requests import RequestStore
from tests.fakes.kill_scenes import (
    INBOX,
    Picture,
    ask,
    copied,
    picture,
    research_scene,
    review_scene,
)
from tests.fakes.killable import Place, start
from tests.fakes.process import Lacuna

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

Mount = Callable[..., None]


@pytest.fixture
def mount() -> Iterator[Mount]:
    """Mount something at a folder for the time of a test; skip where that is not permitted."""
    mounted: list[Path] = []

    def mount(what: str, at: Path, *options: str) -> None:
        at.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["mount", *options, what, str(at)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
        mounted.append(at)

    if shutil.which("mount") is None:
        pytest.skip("there is no mount here")
    yield mount
    for at in reversed(mounted):
        subprocess.run(["umount", "-l", str(at)], capture_output=True, check=False)


@pytest.fixture(scope="module")
def end(tmp_path_factory: pytest.TempPathFactory) -> Picture:
    """How the first scene ends where there is always room."""
    place, ended = start(research_scene(tmp_path_factory.mktemp("roomy") / "scene"))
    assert not ended.errors
    return picture(place)


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Picture]:
    folder = tmp_path_factory.mktemp("reviewed")
    place = review_scene(folder / "scene")
    done, _ = start(copied(place, folder / "done"))
    return place, picture(done)


def without_addresses(seen: Picture) -> tuple[object, ...]:
    """What can be compared between vaults whose libraries lie in different places."""
    names = [name for name, _ in seen.notes]
    findings = [(row[0], row[2], row[6], row[7]) for row in seen.kept["findings"]]
    outside = [row for row in seen.index["chunks"] if not row[0].startswith(INBOX)]
    return names, findings, seen.kept["runs"], seen.kept["agendas"], seen.users, outside


SIZES = [60, 120, 250, 400, 550]


@pytest.mark.parametrize("kilobytes", SIZES)
def test_a_full_state_folder_is_reported_and_work_resumes_when_there_is_space(
    kilobytes: int, tmp_path: Path, mount: Mount, end: Picture
) -> None:
    place = research_scene(tmp_path / "scene")
    mount("tmpfs", place.state, "-t", "tmpfs", "-o", f"size={kilobytes}k")
    before = picture_of_users(place)
    room = ("mount", "-o", "remount,size=64m", str(place.state))
    try:
        place, ended = start(replace(place, events=(room,)))
    except AssertionError:  # not even an empty database fits: `lacuna` says so and ends
        subprocess.run(room, check=True)
        place, ended = start(place)
    else:
        assert 1 <= len(ended.errors) <= 3, ended.errors
        assert len(set(ended.errors)) == len(ended.errors)
        assert all("full" in line or "No space" in line for line in ended.errors), ended.errors
    assert picture_of_users(place) == before
    assert without_addresses(picture(place)) == without_addresses(end)


@pytest.mark.parametrize("kilobytes", [4, 8, 12, 20])
def test_a_full_inbox_is_reported_and_notes_are_written_when_there_is_space(
    kilobytes: int, tmp_path: Path, mount: Mount, end: Picture
) -> None:
    place = research_scene(tmp_path / "scene")
    folder = place.vault / INBOX
    mount("tmpfs", folder, "-t", "tmpfs", "-o", f"size={kilobytes}k")
    listing = tmp_path / "listing"
    look = ("sh", "-c", f"ls -A '{folder}' > '{listing}'; wc -c '{folder}'/*.md >> '{listing}'")
    room = ("mount", "-o", "remount,size=1m", str(folder))
    place, ended = start(replace(place, events=(look, room)))
    assert ended.errors
    assert all(line.endswith("no space left on device") for line in ended.errors), ended.errors
    assert ".tmp" not in listing.read_text()
    assert "\n0 " not in listing.read_text()
    assert without_addresses(picture(place)) == without_addresses(end)


def test_a_read_only_inbox_is_reported_and_decisions_are_applied_later(
    tmp_path: Path, mount: Mount, reviewed: tuple[Place, Picture]
) -> None:
    place, expected = reviewed
    place = copied(place, tmp_path / "copy")
    folder = place.vault / "Inbox"
    mount(str(folder), folder, "--bind")
    subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
    writable = ("mount", "-o", "remount,rw,bind", str(folder))
    place, ended = start(replace(place, events=(writable,)))
    assert ended.errors
    assert all("read-only file system" in line for line in ended.errors), ended.errors
    seen = picture(place)
    assert seen.notes == expected.notes
    assert seen.users == expected.users
    assert seen.kept["findings"] == expected.kept["findings"]


@pytest.mark.parametrize("scene", ["research", "review"])
def test_a_vault_that_is_unmounted_is_neither_forgotten_nor_written_to(
    scene: str, tmp_path: Path, mount: Mount, end: Picture, reviewed: tuple[Place, Picture]
) -> None:
    real, expected = (
        (research_scene(tmp_path / "scene"), end)
        if scene == "research"
        else (copied(reviewed[0], tmp_path / "scene"), reviewed[1])
    )
    place = replace(real, vault=tmp_path / "mounted" / "vault")
    mount(str(real.vault), place.vault, "--bind")
    place, ended = start(place)
    assert not ended.errors
    ask(place, "research", {"topics": ["climbers retire a rope"], "note": None})
    away = ("umount", str(place.vault))
    listing = tmp_path / "listing"
    look = ("sh", "-c", f"find '{place.vault}' > '{listing}'")
    back = ("mount", "--bind", str(real.vault), str(place.vault))
    subprocess.run(away, check=True)
    place, ended = start(replace(place, events=(look, back)))
    assert len(ended.errors) == 1
    assert "is empty, and" in ended.errors[0]
    assert listing.read_text().split() == [str(place.vault)]
    db = Database(place.state / "lacuna.db")
    request = RequestStore(db).get(db.value("SELECT max(id) FROM requests"))
    db.close()
    assert request is not None
    assert request.state is RequestState.FAILED
    assert request.answer["error"] == ended.errors[0]
    seen = picture(place)
    assert seen.users == expected.users
    assert [row[:3] for row in seen.kept["findings"]] == [
        row[:3] for row in expected.kept["findings"]
    ]


def test_a_command_on_a_full_disk_reports_it_in_one_line(tmp_path: Path, mount: Mount) -> None:
    place = research_scene(tmp_path / "scene")
    lacuna = Lacuna(place.vault, tmp_path / "home")
    mount("tmpfs", lacuna.state, "-t", "tmpfs", "-o", "size=300k,mode=700")
    (lacuna.state / "filler").write_bytes(b"x" * 220_000)
    before = picture_of_users(place)
    done = lacuna.call("index", "--no-embed")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("lacuna: ")
    assert line.endswith("database or disk is full")
    assert picture_of_users(place) == before
    (lacuna.state / "filler").unlink()
    subprocess.run(["mount", "-o", "remount,size=16m", str(lacuna.state)], check=True)
    assert lacuna.json("index", "--no-embed")["notes"] == 9


def picture_of_users(place: Place) -> dict[str, bytes]:
    """Every file outside the inbox, byte for byte."""
    return {
        path.relative_to(place.vault).as_posix(): path.read_bytes()
        for path in place.vault.rglob("*")
        if path.is_file() and INBOX not in path.as_posix()
    }
