"""Language models as the settings name them; none is imported while none is configured."""

import math
import subprocess
import sys
from datetime import UTC
from functools import partial
from pathlib import Path

import pytest

from daemon.config.models_section import ModelSettings, ProviderSettings
from daemon.model.errors import SecretError
from daemon.model.language_models import OfferedModel, ProviderKind, Role
from daemon.store.db import Database
from daemon.store.ledger import Ledger
from daemon.usecases.models import proposed_roles
from daemon.writers import build_service, build_writing, role_states
from tests.fakes.run_parts import NOW


class Keys:
    """Keys by name."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def get(self, name: str) -> str | None:
        return "key" if name in self._names else None

    def set(self, name: str, value: str) -> None: ...

    def delete(self, name: str) -> bool:
        return False

    def where(self, name: str) -> str | None:
        return "keyring" if name in self._names else None


def why(settings: ModelSettings, *keys: str) -> str:
    states = {each.role: each for each in role_states(settings, Keys(*keys))}
    return states[Role.WRITER].why


def a_ledger(tmp_path: Path) -> Ledger:
    return Ledger(Database(tmp_path / "lacuna.db"), clock=lambda: NOW, zone=lambda: UTC)


def test_a_local_model_needs_no_key_and_no_consent() -> None:
    assert why(ModelSettings(writer="ollama/qwen3:4b")) == ""


def test_a_remote_model_is_off_until_it_is_allowed_and_has_a_key() -> None:
    assert "another machine" in why(ModelSettings(writer="openai/gpt"), "openai")
    allowed = ModelSettings(writer="openai/gpt", remote=("openai",))
    assert "lacuna secrets set openai" in why(allowed)
    assert why(allowed, "openai") == ""
    lab = ProviderSettings(base_url="http://10.0.0.5:8000/v1")
    assert why(ModelSettings(writer="lab/x", remote=("lab",), providers={"lab": lab})) == ""


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "glm-4.6:cloud"])
def test_a_model_that_ollama_runs_elsewhere_is_off_until_it_is_allowed(
    tmp_path: Path, model: str
) -> None:
    name = f"ollama/{model}"
    assert "https://ollama.com" in why(ModelSettings(writer=name))
    allowed = ModelSettings(writer=name, remote=("ollama",))
    (state,) = (each for each in role_states(allowed, Keys()) if each.provider)
    assert (state.is_remote, state.why, state.base_url) == (True, "", "https://ollama.com")
    assert build_service(ModelSettings(writer=name), Keys(), a_ledger(tmp_path)) is None


def test_a_model_without_a_price_is_off_where_its_provider_has_a_budget_in_money() -> None:
    lab = ProviderSettings(base_url="http://10.0.0.5:8000/v1", usd_per_month=5)
    settings = ModelSettings(writer="lab/x", remote=("lab",), providers={"lab": lab})
    priced = settings.model_copy(update={"prices": {"lab/x": (0.0, 0.0)}})

    assert 'set models.prices."lab/x"' in why(settings)
    assert why(priced) == ""


@pytest.mark.parametrize("price", [-1.0, math.nan, math.inf])
def test_no_price_is_below_zero_or_without_end(price: float) -> None:
    with pytest.raises(ValueError, match=r"prices\.openai/gpt"):
        ModelSettings(prices={"openai/gpt": (1.0, price)})


@pytest.mark.parametrize(
    ("model", "host"),
    [
        ("ollama/qwen3:4b", "localhost"),
        ("ollama/glm-4.6:cloud", "ollama.com"),
        ("openai/gpt-4o", "api.openai.com"),
    ],
)
def test_the_ledger_names_the_host_that_gets_the_text(
    tmp_path: Path, model: str, host: str
) -> None:
    settings = ModelSettings(writer=model, remote=("ollama", "openai"))
    service = build_service(settings, Keys("openai"), a_ledger(tmp_path))

    assert service is not None
    assert service._roles[Role.WRITER].host == host


def test_an_own_provider_is_known_by_its_table() -> None:
    lab = ProviderSettings(kind=ProviderKind.OPENAI, base_url="http://127.0.0.1:9/v1")
    assert why(ModelSettings(writer="lab/tiny", providers={"lab": lab})) == ""
    with pytest.raises(ValueError, match="must be provider/model"):
        ModelSettings(writer="labb/tiny", providers={"lab": lab})


def test_without_a_keyring_a_provider_is_called_without_a_key(tmp_path: Path) -> None:
    class Nowhere(Keys):
        """A system without a keyring."""

        def get(self, name: str) -> str | None:
            raise SecretError("this system has no keyring")

    lab = ProviderSettings(kind=ProviderKind.OPENAI, base_url="http://127.0.0.1:9/v1")
    settings = ModelSettings(writer="lab/tiny", providers={"lab": lab})

    assert build_service(settings, Nowhere(), a_ledger(tmp_path)) is not None


def test_without_a_model_there_is_no_service(tmp_path: Path) -> None:
    ledger = a_ledger(tmp_path)

    assert build_service(ModelSettings(), Keys(), ledger) is None
    assert build_writing(ModelSettings(), no_service, None) is None
    for name, is_on in (("openai/gpt", False), ("ollama/tiny", True)):
        settings = ModelSettings(writer=name)
        models = partial(build_service, settings, Keys(), ledger)
        assert (build_writing(settings, models, None) is not None) == is_on


def no_service() -> None:
    """Fail: where no role has a model, none is asked for."""
    raise AssertionError


def test_without_a_model_nothing_of_models_is_imported() -> None:
    code = (
        "import sys, daemon.network, daemon.composition, daemon.host.serving, daemon.cli;"
        "print([m for m in sys.modules if m.startswith(('daemon.models', 'daemon.adapters.llm',"
        " 'aiolimiter', 'pydantic_ai', 'phonenumbers', 'idnumbers', 'validators'))])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "[]"


def test_roles_are_proposed_by_size() -> None:
    small, cloud = OfferedModel("qwen3:0.6b", 0.6), OfferedModel("gpt-oss:120b-cloud", hosted=True)
    ollama = [small, OfferedModel("llama3.2:latest", 3.2), cloud]

    assert proposed_roles({"ollama": ollama, "lmstudio": [OfferedModel("qwen3-14b")]}) == {
        Role.WRITER: "lmstudio/qwen3-14b",
        Role.READER: "ollama/llama3.2:latest",
    }
    assert proposed_roles({"llamacpp": [OfferedModel("model")]}) == dict.fromkeys(
        (Role.WRITER, Role.READER), "llamacpp/model"
    )
    assert proposed_roles({"ollama": [cloud]}) == {}
