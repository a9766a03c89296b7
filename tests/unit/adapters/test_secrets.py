"""Keys: the environment first, then the keyring, and a clear word when there is none."""

import subprocess
import sys
from pathlib import Path

import pytest
from keyring.errors import InitError, KeyringError, KeyringLocked, NoKeyringError

from daemon.adapters.passphrase import VARIABLE
from daemon.adapters.secrets import KeyringSecrets, open_secrets, variable
from daemon.model.errors import SecretError
from tests.fakes.keyring import FakeKeyring


def secrets(keyring: FakeKeyring, **environ: str) -> KeyringSecrets:
    return KeyringSecrets(environ=environ, keyring=lambda: keyring)


def test_a_key_is_kept_in_the_keyring_under_our_service() -> None:
    keyring = FakeKeyring()
    kept = secrets(keyring)
    kept.set("brave", " key-1\n")
    assert keyring.kept == {("lacuna", "brave"): "key-1"}
    assert (kept.get("brave"), kept.where("brave")) == ("key-1", "keyring")


def test_the_environment_comes_first() -> None:
    keyring = FakeKeyring()
    secrets(keyring).set("brave", "from the keyring")
    both = secrets(keyring, LACUNA_BRAVE_API_KEY="from outside")
    assert (both.get("brave"), both.where("brave")) == ("from outside", "environment")


def test_an_empty_variable_is_none() -> None:
    assert secrets(FakeKeyring(), LACUNA_BRAVE_API_KEY="").get("brave") is None


def test_the_variable_is_spelled_as_variables_are() -> None:
    assert variable("semantic-scholar") == "LACUNA_SEMANTIC_SCHOLAR_API_KEY"


def test_a_keyring_that_keeps_nothing_is_no_place_for_a_key() -> None:
    """As `keyring --disable` leaves it: it takes all, and has nothing."""

    class Disabled(FakeKeyring):
        def set_password(self, service_name: str, username: str, password: str) -> None:
            pass

    with pytest.raises(SecretError, match="did not store it: set LACUNA_BRAVE_API_KEY") as error:
        secrets(Disabled()).set("brave", "planted-key")
    assert "planted-key" not in str(error.value)


def test_deleting_says_whether_there_was_one() -> None:
    kept = secrets(FakeKeyring())
    kept.set("brave", "x")
    assert kept.delete("brave")
    assert not kept.delete("brave")
    assert (kept.get("brave"), kept.where("brave")) == (None, None)


@pytest.mark.parametrize(
    ("trouble", "reported"),
    [
        (NoKeyringError("no backend"), "this system has no keyring"),
        (KeyringLocked("locked"), "locked"),
        (InitError("failed to unlock"), "locked"),
        (KeyringError("dbus"), "does not work"),
        (RuntimeError("dbus"), "does not work"),
        (OSError("dbus"), "does not work"),
    ],
)
def test_a_keyring_that_fails_names_the_variable_to_set_instead(
    trouble: Exception, reported: str
) -> None:
    kept = secrets(FakeKeyring(trouble))
    for call in (kept.get, kept.delete, lambda name: kept.set(name, "x")):
        with pytest.raises(SecretError, match=reported) as caught:
            call("brave")
        assert "set LACUNA_BRAVE_API_KEY in the environment instead" in str(caught.value)
    assert kept.where("brave") is None


def test_without_a_keyring_the_environment_still_works() -> None:
    kept = secrets(FakeKeyring(NoKeyringError()), LACUNA_BRAVE_API_KEY="key")
    assert (kept.get("brave"), kept.where("brave")) == ("key", "environment")


def test_the_keyring_is_imported_only_when_it_is_needed() -> None:
    code = (
        "import sys; from daemon.adapters.secrets import KeyringSecrets;"
        "KeyringSecrets(environ={'LACUNA_X_API_KEY': 'k'}).get('x');"
        "sys.exit('keyring' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_credential_of_the_service_manager_comes_after_the_environment(tmp_path: Path) -> None:
    (tmp_path / "brave").write_text("from systemd\n")
    keyring = FakeKeyring()
    secrets(keyring).set("brave", "from the keyring")
    given = secrets(keyring, CREDENTIALS_DIRECTORY=str(tmp_path))
    assert (given.get("brave"), given.where("brave")) == ("from systemd", "credential")
    both = secrets(
        keyring, CREDENTIALS_DIRECTORY=str(tmp_path), LACUNA_BRAVE_API_KEY="from outside"
    )
    assert (both.get("brave"), both.where("brave")) == ("from outside", "environment")
    assert given.get("exa") is None


def test_an_unreadable_credential_is_reported_without_its_path(
    tmp_path: Path,
) -> None:
    (tmp_path / "brave").mkdir()
    (tmp_path / "exa").write_bytes(b"\xff\xfe")
    (tmp_path.parent / "outside").write_text("nobody's")
    given = secrets(FakeKeyring(), CREDENTIALS_DIRECTORY=str(tmp_path))
    with pytest.raises(SecretError, match="the credential brave: "):
        given.get("brave")
    with pytest.raises(SecretError, match="the credential exa is not text"):
        given.get("exa")
    assert given.get("../outside") is None


def test_a_credential_needs_no_keyring(tmp_path: Path) -> None:
    (tmp_path / "brave").write_text("key")
    kept = secrets(FakeKeyring(NoKeyringError()), CREDENTIALS_DIRECTORY=str(tmp_path))
    assert (kept.get("brave"), kept.where("brave")) == ("key", "credential")


def test_the_file_is_used_only_when_it_is_asked_for(tmp_path: Path) -> None:
    environ = {VARIABLE: "a long passphrase"}
    in_file = open_secrets("file", tmp_path, environ=environ)
    in_file.set("brave", "key-1")
    assert (in_file.get("brave"), in_file.where("brave")) == ("key-1", "file")
    assert open_secrets("keyring", tmp_path, environ=environ).place == "keyring"
    assert in_file.delete("brave")
    assert not in_file.delete("brave")
