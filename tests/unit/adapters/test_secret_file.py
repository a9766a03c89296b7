"""Keys in an encrypted file: closed to everybody without the passphrase, whole or not there."""

import json
import os
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from daemon.adapters.passphrase import CREDENTIAL, DESCRIPTOR, VARIABLE, find_passphrase
from daemon.adapters.secret_file import COST, SecretFile
from daemon.model.errors import SecretError

PASSPHRASE = "correct horse battery staple"
CHEAP = 2**4  # of scrypt's work, so that tests are quick


def opened(path: Path, passphrase: str = PASSPHRASE) -> SecretFile:
    return SecretFile(path, lambda: passphrase, cost=CHEAP)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with two keys."""
    path = tmp_path / "deep" / "secrets.enc"
    opened(path).set_password("lacuna", "brave", "key-1")
    opened(path).set_password("lacuna", "exa", "clé-2")
    return path


def test_keys_are_read_changed_and_deleted(path: Path) -> None:
    kept = opened(path)
    assert [kept.get_password("lacuna", name) for name in ("brave", "exa", "serp")] == [
        "key-1", "clé-2", None,
    ]  # fmt: skip
    kept.set_password("lacuna", "brave", "key-3")
    kept.delete_password("lacuna", "exa")
    again = opened(path)
    assert again.get_password("lacuna", "brave") == "key-3"
    assert again.get_password("lacuna", "exa") is None


def test_nothing_of_it_can_be_read_without_the_passphrase(path: Path) -> None:
    data = path.read_bytes()
    document = json.loads(data)
    for secret in (b"key-1", b"brave", b"lacuna/", "clé".encode(), PASSPHRASE.encode()):
        assert secret not in data
        assert secret not in b64decode(document["data"])
    with pytest.raises(SecretError, match="the passphrase does not open"):
        opened(path, "wrong").get_password("lacuna", "brave")
    before = path.read_bytes()
    with pytest.raises(SecretError, match="the passphrase does not open"):
        opened(path, "wrong").set_password("lacuna", "brave", "mine")
    assert path.read_bytes() == before


def test_it_is_for_its_owners_eyes_and_leaves_no_draft(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    opened(path).set_password("lacuna", "brave", "x")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secrets.enc"]


def test_each_writing_has_a_salt_and_a_nonce_of_its_own(path: Path) -> None:
    first = json.loads(path.read_bytes())
    opened(path).set_password("lacuna", "brave", "key-1")
    second = json.loads(path.read_bytes())
    assert all(first[name] != second[name] for name in ("salt", "nonce", "data"))


@pytest.mark.parametrize("name", ["salt", "nonce", "data", "n"])
def test_a_changed_byte_anywhere_is_noticed(path: Path, name: str) -> None:
    document = json.loads(path.read_bytes())
    if name == "n":
        document["n"] *= 2
    else:
        data = bytearray(b64decode(document[name]))
        data[0] ^= 1
        document[name] = b64encode(bytes(data)).decode()
    path.write_text(json.dumps(document))
    with pytest.raises(SecretError, match="or the file is damaged"):
        opened(path).get_password("lacuna", "brave")


@pytest.mark.parametrize(
    "text", ["", "no JSON", "[]", "{}", '{"format": 1, "n": 2147483648}', '{"format": 9}']
)
def test_what_is_no_such_file_is_one_clear_line(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(SecretError, match=r"secrets\.enc was not written by Lacuna"):
        opened(path).get_password("lacuna", "brave")


def test_a_file_that_asks_for_too_much_memory_is_refused(path: Path) -> None:
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps(document | {"n": 2**30}))
    with pytest.raises(SecretError, match="was not written by Lacuna"):
        opened(path).get_password("lacuna", "brave")


def test_a_full_disk_leaves_the_keys_as_they_were(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SecretError, match="No space left"):
        opened(path).set_password("lacuna", "brave", "new")
    monkeypatch.undo()
    assert opened(path).get_password("lacuna", "brave") == "key-1"
    assert [file.name for file in path.parent.iterdir()] == ["secrets.enc"]


def test_a_link_to_the_file_stays_one(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.enc"
    link.symlink_to(path)
    opened(link).set_password("lacuna", "brave", "new")
    assert link.is_symlink()
    assert opened(path).get_password("lacuna", "brave") == "new"


def test_without_a_file_there_are_no_keys_and_nobody_is_asked(tmp_path: Path) -> None:
    def never() -> str:
        raise AssertionError

    assert SecretFile(tmp_path / "none", never).get_password("lacuna", "brave") is None


def test_by_default_guessing_costs_what_it_should() -> None:
    assert COST >= 2**17


def test_the_passphrase_comes_from_systemd_a_descriptor_the_environment_or_its_owner(
    tmp_path: Path,
) -> None:
    environ = {VARIABLE: "from the environment"}
    assert find_passphrase(environ, lambda: "asked") == "from the environment"
    reading, writing = os.pipe()
    os.write(writing, b"from a pipe\n")
    os.close(writing)
    environ[DESCRIPTOR] = str(reading)
    assert [find_passphrase(environ), find_passphrase(environ)] == ["from a pipe"] * 2
    (tmp_path / CREDENTIAL).write_text("from systemd\n")
    environ["CREDENTIALS_DIRECTORY"] = str(tmp_path)
    assert find_passphrase(environ) == "from systemd"
    assert find_passphrase({}, lambda: "asked") == "asked"


@pytest.mark.parametrize(
    ("environ", "reported"),
    [({}, f"set {VARIABLE}"), ({DESCRIPTOR: "x"}, "nothing can be read from this descriptor")],
)
def test_without_a_passphrase_the_places_for_one_are_named(
    environ: dict[str, str], reported: str
) -> None:
    with pytest.raises(SecretError, match=reported):
        find_passphrase(environ)
