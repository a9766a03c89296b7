"""Hooks that are functions: they answer what a test says, and remember what they were asked."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from daemon.model.errors import HookError
from daemon.model.hook_event import HookEvent
from daemon.ports import Hook, Hooks

Answering = Callable[[Mapping[str, Any]], dict[str, Any]]


@dataclass
class FakeHook(Hook):
    """Answers by a function; one that returns None fails."""

    answering: Callable[[Mapping[str, Any]], dict[str, Any] | None]
    label: str = "filter.py"
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.label

    def ask(
        self,
        body: Mapping[str, Any],
        is_over: Callable[[], bool] = lambda: False,
        *,
        starting: AbstractContextManager[None] | None = None,
    ) -> dict[str, Any]:
        with starting or nullcontext():
            self.asked.append(body)
        answer = self.answering(body)
        if answer is None:
            raise HookError("it broke")
        return answer


@dataclass
class FakeHooks(Hooks):
    """Hooks by event."""

    by_event: Mapping[HookEvent, Sequence[Hook]] = field(default_factory=dict)

    def for_event(self, event: HookEvent) -> Sequence[Hook]:
        return self.by_event.get(event, [])
