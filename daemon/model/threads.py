"""Threads: questions that belong together, with their answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

MAX_NAME_LENGTH = 80
MAX_TURNS = 200  # kept of one thread; older ones are dropped


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its answer, as the JSON of its document."""

    asked_at: datetime
    question: str
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """A thread: how many questions it has, and when the first and the last one were asked."""

    name: str
    questions: int
    begun_at: datetime
    asked_at: datetime
