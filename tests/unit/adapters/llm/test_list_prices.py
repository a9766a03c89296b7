"""What a call costs: by your own price, else by the provider's list; nothing on this machine."""

import pytest

from daemon.adapters.llm.list_prices import list_prices
from daemon.config.models_section import ModelSettings
from daemon.model_service import prices_of

pytest.importorskip("genai_prices", reason="the extra for language models is not installed")


def test_models_of_large_providers_have_a_price_and_unknown_ones_have_none() -> None:
    found = list_prices("https://api.anthropic.com", "claude-sonnet-4-5")
    assert found is not None
    assert 0 < found[0] < found[1] < 1000
    assert list_prices("https://api.anthropic.com", "no-such-model") is None
    assert list_prices("https://models.example/v1", "gpt-4o-mini") is None


def test_a_price_of_ones_own_wins_and_this_machine_costs_nothing() -> None:
    own = ModelSettings(prices={"openai/gpt-4o-mini": (9.0, 10.0)})
    assert prices_of("openai", "gpt-4o-mini", own) == (9.0, 10.0)
    listed = prices_of("openai", "gpt-4o-mini", ModelSettings())
    assert listed is not None
    assert 0 < listed[0] < listed[1] < 9.0
    assert prices_of("ollama", "llama3.2", ModelSettings()) == (0.0, 0.0)
    assert prices_of("openai", "no-such-model", ModelSettings()) is None
