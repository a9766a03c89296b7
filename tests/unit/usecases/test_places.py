"""The state folder that options meant last time is known again, until anything changes."""

import os
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from daemon.config import Settings
from daemon.usecases.confining import prepare_folders
from daemon.usecases.state_places import (
    recall,
    remember,
    user_cache_folder,
    user_config_folder,
)

STATE = Path("/somewhere/state")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "config.toml"
    path.write_text('vault = "a"\n')
    return path


def test_it_is_recalled_for_the_same_options_only(config: Path) -> None:
    environ = {"LACUNA_VEIL": "1", "PATH": "/bin"}
    assert recall(None, config, None, environ) is None
    remember(STATE, None, config, None, environ)
    assert recall(None, config, None, environ) == STATE
    assert recall(None, config, None, {**environ, "PATH": "/usr/bin"}) == STATE
    assert recall(Path("work"), config, None, environ) is None
    assert recall(None, config, Path("other"), environ) is None
    assert recall(None, config, None, {"LACUNA_VAULT": "b"}) is None


def test_a_changed_settings_file_forgets_it(config: Path) -> None:
    remember(STATE, None, config, None, {})
    config.write_text('vault = "another"\n')
    assert recall(None, config, None, {}) is None
    assert recall(None, config, None, {}, is_current=False) == STATE


def test_it_is_recalled_in_another_folder_and_session_unless_a_path_is_relative(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(STATE, None, config, None, {"XDG_SESSION_ID": "3"})
    remember(STATE, Path("work"), config, None, {})
    monkeypatch.chdir(tmp_path)
    assert recall(None, config, None, {"XDG_SESSION_ID": "4"}) == STATE
    assert recall(None, config, None, {"XDG_STATE_HOME": "/other"}) is None
    assert recall(Path("work"), config, None, {}) is None


def test_the_folders_are_those_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (None, "/elsewhere", " "):
        for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            if folder is None:
                monkeypatch.delenv(variable, raising=False)
            else:
                monkeypatch.setenv(variable, folder)
        assert user_config_folder() == platformdirs.user_config_path("lacuna")
        assert user_cache_folder() == platformdirs.user_cache_path("lacuna")


def test_keys_that_share_a_file_are_distinguished(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.usecases.state_places.crc32", lambda _key: 7)
    remember(STATE, None, config, None, {})
    assert recall(None, config, None, {}) == STATE
    assert recall(Path("work"), config, None, {}) is None


def test_where_nothing_can_be_kept_nothing_is(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path / "file"))
    remember(STATE, None, config, None, {})
    assert recall(None, config, None, {}) is None


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_the_cache_is_for_its_owner_alone(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_umask: None
) -> None:
    cache = tmp_path / "cache" / "lacuna"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    remember(tmp_path / "state", None, config, None, os.environ)
    places = [cache, *cache.rglob("*")]
    assert {path.is_dir(): oct(path.stat().st_mode & 0o777) for path in places} == {
        True: "0o700",
        False: "0o600",
    }
    for path in places:
        path.chmod(0o777)
    (tmp_path / "vault").mkdir()
    settings = Settings(vault=tmp_path / "vault", state=tmp_path / "state")
    writable = prepare_folders(settings)
    assert writable is not None
    assert {oct(path.stat().st_mode & 0o077) for path in (*places, cache / "models")} == {"0o0"}
