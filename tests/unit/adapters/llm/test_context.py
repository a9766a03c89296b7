"""Whether a prompt fits is estimated before it is sent."""

import pytest

from daemon.adapters.llm.context import needed_tokens
from daemon.adapters.llm.failures import CallFailedError


def request(text: str) -> dict[str, object]:
    return {"system": "", "user": text, "max_tokens": 100}


def test_a_character_of_a_dense_script_is_a_token() -> None:
    assert needed_tokens(request("面包为什么会变硬" * 100), 900) == 900
    with pytest.raises(CallFailedError, match="it needs about 900 tokens of 899"):
        needed_tokens(request("面包为什么会变硬" * 100), 899)


def test_where_a_length_is_not_known_any_prompt_fits() -> None:
    assert needed_tokens(request("bread " * 1000), 0) == 2100
