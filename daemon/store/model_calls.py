"""What language models were asked and answered in a run, stored in its folder.

    models/secret             random; the markers in this run's prompts are derived from it
    models/calls/<key>.json   each call with its answer
    models/notes-reader-N.md  what each reader extracted from its sources
    models/written.json       the written text, after every check

A resumed run finds its answers here and pays for none twice. A replay reads only `written.json`.
"""

import json
import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from pydantic import ValidationError

from daemon.model.errors import InvalidReplyError
from daemon.model.language_models import ModelCall, Reply, Role, Usage, json_schema
from daemon.ports import RunFiles
from daemon.store.run_files import read_json, write_json

_SECRET, _WRITTEN = "models/secret", "models/written.json"


class CallRecord:
    """The files of models of one run.

    Raises StoreError if they cannot be written, ReplayError if they cannot be read.
    """

    def __init__(self, files: RunFiles) -> None:
        self._files = files

    @property
    def secret(self) -> bytes:
        """Return random bytes for this run, generated on first use."""
        if not self._files.has(_SECRET):
            self._files.write(_SECRET, secrets.token_hex(16).encode())
        return self._files.read(_SECRET)

    def get(self, key: str, call: ModelCall) -> Reply | None:
        """Return the answer to an earlier call, or None.

        Raises InvalidReplyError if it cannot be used: the same prompt has the same answer.
        """
        if not self._files.has(_call(key)):
            return None
        kept = read_json(self._files, _call(key))
        text, model = str(kept["answer"]), str(kept["model"])
        usage = Usage(int(kept["input_tokens"]), int(kept["output_tokens"]))
        if kept["value"] is None and (call.schema is not None or not text.strip()):
            raise InvalidReplyError(f"{model} gave no usable answer before, and is not asked again")
        if call.schema is None:
            return Reply(text, usage, model)
        try:
            return Reply(text, usage, model, call.schema.model_validate(kept["value"]))
        except ValidationError:
            return None

    def keep(self, key: str, role: Role, call: ModelCall, reply: Reply) -> None:
        """Store a call with its answer."""
        value = reply.value.model_dump(mode="json") if reply.value is not None else None
        body = {
            "role": role.value,
            "system": call.system,
            "user": call.user,
            "schema": json_schema(call),
            "answer": reply.text,
            "value": value,
            "model": reply.model,
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
        }
        write_json(self._files, _call(key), body)

    def keep_notes(self, reader: int, finding: str, title: str, text: str) -> None:
        """Store what a reader extracted from the sources of a finding; readers count from 1."""
        name = f"models/notes-reader-{reader}.md"
        before = self._files.read(name).decode() if self._files.has(name) else ""
        head = f"# {' '.join(title.split())} ({finding})"
        if head not in before:
            parts = [before, f"{head}\n\n{text}"]
            self._files.write(name, "\n".join(filter(None, parts)).encode("utf-8", "replace"))

    def keep_written(self, written: Mapping[str, Any]) -> None:
        """Store the written text, by the id of its finding."""
        write_json(self._files, _WRITTEN, written)

    def written(self) -> dict[str, Any]:
        """Return the written texts; {} if no model wrote in this run."""
        return read_json(self._files, _WRITTEN) if self._files.has(_WRITTEN) else {}


class NoRecord:
    """Keeps nothing: for a test of a model, and for answers that no run repeats."""

    def get(self, key: str, call: ModelCall) -> Reply | None:
        """Know no answer."""

    def keep(self, key: str, role: Role, call: ModelCall, reply: Reply) -> None:
        """Forget it."""

    def keep_notes(self, reader: int, finding: str, title: str, text: str) -> None:
        """Forget them."""


def _call(key: str) -> str:
    return f"models/calls/{key}.json"


def call_key(model: str, call: ModelCall) -> str:
    """Return what identifies a call: its model, messages and schema."""
    parts = [model, call.system, call.user, json_schema(call), call.max_tokens, call.temperature]
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
