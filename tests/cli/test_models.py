"""`lacuna models`: roles, consent for other machines, and which text goes where."""

import json
import tomllib
from collections.abc import Mapping

import tomlkit

from tests.fakes.cli import Cli
from tests.fakes.http_server import Asked, Reply, serving
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
    close = ready("models", "use", "writer", "olama/tiny").complaint
    other = ready("models", "use", "writer", "zzz/tiny").complaint

    assert "there is no provider “olama”: did you mean “ollama/tiny”?" in close
    assert "“zzz/tiny” must be provider/model, with one of ollama, lmstudio" in other


def a_reply(body: Mapping[str, object], status: int = 200) -> Reply:
    return Reply(json.dumps(body).encode(), status, "application/json")


def chat(asked: Asked) -> Reply:
    """Answer as Ollama does: one model is there, and any other name is an error."""
    if json.loads(asked.body)["model"] != "qwen3:4b":
        return a_reply({"error": "model not found"}, 404)
    counts = {"prompt_eval_count": 30, "eval_count": 8}
    return a_reply({"message": {"content": '{"ready": true}'}, "done": True, **counts})


def test_a_server_on_this_machine_is_detected_chosen_and_tested(ready: Cli) -> None:
    with serving() as server:
        models = [{"name": "qwen3:4b", "details": {"parameter_size": "4.0B"}}]
        server.routes |= {"/api/tags": a_reply({"models": models}), "/api/chat": chat}
        provider = {"lab": {"kind": "ollama", "base_url": server.origin}}
        settings = tomllib.loads(ready.config.read_text()) | {"models": {"providers": provider}}
        ready.config.write_text(tomlkit.dumps(settings))

        detected = ready("models", "detect").out
        assert "lab: qwen3:4b\n" in detected
        assert "Use it: lacuna models use writer " in detected

        assert ready("models", "use", "writer", "lab/qwen3:4b").code == 0
        (answer,) = ready("models", "test", "--json").json
        assert (answer["role"], answer["ok"], answer["tokens"]) == ("writer", True, 38)

        assert ready("privacy", "--json").json["sent"] == []
        text = ready.config.read_text()
        ready.config.write_text(text.replace(server.origin, "http://10.0.0.5:9"))
        assert ready("privacy", "--json").json["sent"] == []  # it was here when it was sent
        ready.config.write_text(text)

        assert ready("models", "use", "checker", "lab/qwen3:40b").code == 0
        tested = ready("models", "test")
    assert tested.code == 1
    assert "lab has no model “qwen3:40b”: did you mean “qwen3:4b”?" in tested.out
