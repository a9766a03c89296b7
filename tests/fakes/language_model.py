"""A language model for tests: a function of the test answers its prompts."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from daemon.model.errors import InvalidReplyError
from daemon.model.language_models import ModelCall, Reply, Usage
from daemon.models.writing import Options

OPTIONS = Options(reader_tokens=300, writer_tokens=600, call_seconds=180, run_seconds=1800)

LINE = re.compile(r"^\[([a-z]+\d+)\] (.*)$", re.MULTILINE)
Answering = Callable[[ModelCall, Mapping[str, str]], object]


def reads_all(_call: ModelCall, lines: Mapping[str, str]) -> object:
    """Choose the first sentences."""
    ids = list(lines)
    return {"contribution": ids[0], "abstract": ids[:2], "methods": []}


def writes_first(_call: ModelCall, lines: Mapping[str, str]) -> object:
    """Restate the first sentence word for word."""
    id_, text = next(iter(lines.items()))
    return {"sentences": [{"text": text, "cites": [id_]}], "concepts": []}


@dataclass
class FakeModel:
    """Answers readers by `reads`, and the writer by `writes`; keeps the calls it got."""

    reads: Answering = reads_all
    writes: Answering = writes_first
    name: str = "fake/tiny"
    seconds: float = 0.0
    calls: list[ModelCall] = field(default_factory=list)
    running: int = 0

    async def ask(self, call: ModelCall, on_text: Callable[[str], None] | None = None) -> Reply:
        self.calls.append(call)
        self.running += 1
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.running -= 1
        assert call.schema is not None
        is_reader = "contribution" in call.schema.model_fields
        answer = (self.reads if is_reader else self.writes)(call, dict(LINE.findall(call.user)))
        text = json.dumps(answer)
        if on_text is not None:
            on_text(text)
        try:
            value = call.schema.model_validate(answer)
        except ValueError:
            value = None
        reply = Reply(text, Usage(len(call.user) // 4, len(text) // 4), "tiny", value)
        if value is None:
            raise InvalidReplyError("the answer of fake/tiny does not have this form", reply)
        return reply
