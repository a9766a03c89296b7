import os
import unicodedata
from pathlib import Path

import pytest

from vault_adapters.base import NoteError
from vault_adapters.folder import FolderAdapter
from vault_adapters.ignored import is_ignored


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"# {path}", encoding="utf-8")


def paths(root: Path) -> list[str]:
    return [file.path for file in FolderAdapter(root).scan().files]


def whys(root: Path) -> dict[str, str]:
    return {each.path: each.why for each in FolderAdapter(root).scan().unreadable}


def test_a_scan_sees_every_file_with_its_size_and_time(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/c.md", "a/d.png")
    os.utime(tmp_path / "b.md", ns=(1, 12_345_678_900))
    files = FolderAdapter(tmp_path).scan().files
    assert [file.path for file in files] == ["a/c.md", "a/d.png", "b.md"]
    assert (files[2].size, files[2].mtime_ns) == (6, 12_345_678_900)
    assert files[2].inode == (tmp_path / "b.md").stat().st_ino


@pytest.mark.parametrize(
    "name",
    [
        *(".obsidian/a.md", ".git/a.md", ".trash/a.md", ".stversions/a.md", ".a.md.icloud"),
        *(".a.md.swp", "a.md~", "#a.md#", "4913", "~$a.docx", "x.part"),
        *("~syncthing~a.md.tmp", ".syncthing.a.md.tmp"),
    ],
)
def test_what_is_hidden_or_left_by_others_is_not_of_the_vault(name: str, tmp_path: Path) -> None:
    write(tmp_path, "a.md", name, f"folder/{name}")
    assert paths(tmp_path) == ["a.md"]
    assert FolderAdapter(tmp_path).ignores(f"folder/{name}")


@pytest.mark.parametrize("name", ["a.md", "a~b.md", "49131", "#1 idea.md", "dots...md", "a.tmp.md"])
def test_other_names_are_of_the_vault(name: str) -> None:
    assert not is_ignored(f"folder/{name}")


def test_a_name_in_nfd_is_compared_in_nfc_and_opened_as_it_is(tmp_path: Path) -> None:
    nfd = unicodedata.normalize("NFD", "Café/Été.md")
    write(tmp_path, nfd)
    adapter = FolderAdapter(tmp_path)
    (file,) = adapter.scan().files
    assert file.path == "Café/Été.md"
    assert adapter.load(file.path) == f"# {nfd}".encode()


def test_of_two_names_that_differ_only_in_form_both_are_kept(tmp_path: Path) -> None:
    nfc, nfd = (unicodedata.normalize(form, "Café.md") for form in ("NFC", "NFD"))
    write(tmp_path, nfc, nfd)
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system knows only one form")
    adapter = FolderAdapter(tmp_path)
    assert {file.path: adapter.load(file.path).decode() for file in adapter.scan().files} == {
        nfc: f"# {nfc}",
        nfd: f"# {nfd}",
    }


def test_a_name_that_is_no_utf_8_is_reported(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"a\xff.md")).touch()
    except OSError:
        pytest.skip("this file system takes no such name")
    assert paths(tmp_path) == []
    assert whys(tmp_path) == {"a?.md": "its name is not UTF-8"}


def test_names_may_hold_any_sign(tmp_path: Path) -> None:
    names = ["C# *?.md", "dot..md", "🍀/花.md", "a|b.md", "new\nline.md", " .md"]
    write(tmp_path, *names)
    assert paths(tmp_path) == sorted(names)


def test_symlink_loops_and_symlinks_out_of_the_vault_are_skipped_and_reported(
    tmp_path: Path,
) -> None:
    root = tmp_path / "vault"
    write(root, "real/a.md")
    write(tmp_path, "outside/secret.md")
    (root / "real/loop").symlink_to(root)
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "out.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "broken.md").symlink_to("nothing.md")
    (root / "self.md").symlink_to("self.md")
    assert paths(root) == ["real/a.md"]
    found = whys(root)
    assert "folder" in found["real/loop"]
    assert found["out"] == found["out.md"] == "is a symbolic link out of the vault"
    assert found["broken.md"].startswith("cannot be read")
    assert "self.md" in found


def test_a_link_to_a_file_of_the_vault_is_a_file(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "b.md").symlink_to("a.md")
    adapter = FolderAdapter(tmp_path)
    assert [file.path for file in adapter.scan().files] == ["a.md", "b.md"]
    assert adapter.load("b.md") == b"# a.md"


def test_a_vault_may_be_a_link_itself(tmp_path: Path) -> None:
    write(tmp_path, "vault/a.md")
    (tmp_path / "link").symlink_to("vault")
    assert paths(tmp_path / "link") == ["a.md"]


def test_a_note_that_became_a_link_out_of_the_vault_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "vault/a.md")
    (tmp_path / "vault/b.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(NoteError, match=r"b\.md: is a symbolic link out of the vault"):
        FolderAdapter(tmp_path / "vault").load("b.md")


def test_a_pipe_is_reported_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    assert paths(tmp_path) == []
    assert "pipe" in whys(tmp_path)["a.md"]
    with pytest.raises(NoteError, match=r"a\.md: is not a file"):
        FolderAdapter(tmp_path).load("a.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "closed/a.md", "b.md")
    (tmp_path / "closed").chmod(0)
    (tmp_path / "b.md").chmod(0)
    assert whys(tmp_path) == {"closed": "cannot be listed: Permission denied"}
    with pytest.raises(NoteError, match=r"b\.md: Permission denied"):
        FolderAdapter(tmp_path).read("b.md")
    (tmp_path / "closed").chmod(0o700)


@pytest.mark.parametrize("path", ["gone.md", "folder", "folder/../../x.md", "nul\0.md"])
def test_a_note_that_cannot_be_read_is_an_error_that_names_it(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(NoteError) as error:
        FolderAdapter(tmp_path).read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)


def test_folders_may_be_deep(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 300)
    write(tmp_path, f"{deep}/a.md")
    assert paths(tmp_path) == [f"{deep}/a.md"]
