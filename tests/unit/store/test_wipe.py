"""Deleting a state leaves what is not Lacuna's, and no secret."""

from pathlib import Path

from daemon.store.wipe import wipe


def test_a_folder_that_the_user_chose_keeps_only_the_users_files(tmp_path: Path) -> None:
    for name in ("web-token", "web-7431.sock", "open-page.html", "lacuna.db", "web.md"):
        (tmp_path / name).touch()
    assert wipe(tmp_path, whole=False) == ["web.md"]
