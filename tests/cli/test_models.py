"""`lacuna models`: roles, consent for other machines, and which text goes where."""

from tests.fakes.cli import Cli
from tests.fakes.keyring import FakeKeyring


def test_a_model_on_another_machine_needs_consent_and_a_key(
    ready: Cli, keyring: FakeKeyring
) -> None:
    assert ready("models", "use", "writer", "openai/tiny", text="n\n").code != 0
    assert {each["on"] for each in ready("models", "--json").json} == {False}
    assert ready("models", "use", "writer", "openai/tiny", "--json").code != 0

    assert ready("models", "use", "writer", "openai/tiny", text="y\n").code == 0
    writer = next(each for each in ready("models", "--json").json if each["role"] == "writer")
    assert not writer["on"]
    assert "lacuna secrets set openai" in writer["why"]
    assert ready("privacy", "--json").json["models"] == []

    keyring.set_password("lacuna", "openai", "key-1234")
    (sent,) = ready("privacy", "--json").json["models"]
    assert sent["model"] == "openai/tiny"
    assert sent["address"] == "https://api.openai.com/v1"
    assert "sentences of fetched documents" in sent["receives"]
    assert "openai/tiny (writer, https://api.openai.com/v1) is sent" in ready("privacy").out
    assert "key-1234" not in ready.config.read_text()


def test_a_local_model_needs_neither_and_sends_nothing(ready: Cli) -> None:
    chosen = ready("models", "use", "reader", "ollama/tiny").out
    assert chosen == "reader: ollama/tiny\nCheck it: lacuna models test\n"
    assert "stays on this machine" in ready("models").out
    assert ready("privacy", "--json").json["models"] == []

    assert ready("models", "use", "reader", "none").code == 0
    assert {each["on"] for each in ready("models", "--json").json} == {False}


def test_an_unknown_provider_is_reported_with_the_known_ones(ready: Cli) -> None:
    complaint = ready("models", "use", "writer", "olama/tiny").complaint

    assert "olama/tiny" in complaint
    assert "ollama" in complaint
