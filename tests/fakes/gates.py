"""A real gate, with the limits that most tests need."""

from typing import Any

from daemon.adapters.fetch import Gate


def a_gate(*, timeout: float = 20, max_bytes: int = 20_000_000, **others: Any) -> Gate:
    return Gate(timeout=timeout, max_bytes=max_bytes, **others)
