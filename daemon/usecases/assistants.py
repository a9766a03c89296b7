"""What assistants asked for through MCP: recorded in the state folder, and shown by `privacy`."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from pydantic import Field, ValidationError

from daemon.app import App
from daemon.model.clock import now
from daemon.store.line_file import LineFile
from daemon.usecases.document import Document, Moment
from daemon.vault_state import VaultState

_NAME = "assistants"
_LONGEST = 2000  # characters of the arguments that are kept
_NAME_LENGTH = 60  # characters of a client's name that are kept


class AssistantCall(Document):
    """One call of a tool by an assistant. What it read may have left this machine."""

    at: Moment = Field(description="When it was called.")
    client: str = Field(description='Name that the client gave itself; "": none.')
    tool: str = Field(description="Name of the tool.", examples=["search_notes"])
    arguments: str = Field(
        description="The arguments as JSON; of longer ones the first 2000 characters, then … and "
        "how many more there were.",
        examples=['{"query": "sourdough"}'],
    )
    refused: str = Field(
        default="",
        description='Why it was not carried out; "": it was. Only the first of several refusals is '
        "here.",
        examples=["too many calls within a minute"],
    )


class AssistantLog:
    """Appends calls to the record of a vault."""

    def __init__(self, app: VaultState) -> None:
        self._file = LineFile(app.state, _NAME)

    def __call__(
        self, client: str, tool: str, arguments: Mapping[str, Any], /, refused: str = ""
    ) -> None:
        """Record a call before it is carried out."""
        text = json.dumps(arguments, ensure_ascii=False, default=str)
        if (more := len(text) - _LONGEST) > 0:
            text = f"{text[:_LONGEST]}… ({more} more characters)"
        call = AssistantCall(
            at=now(), client=client[:_NAME_LENGTH], tool=tool, arguments=text, refused=refused
        )
        self._file.write(json.dumps(call.as_json(), ensure_ascii=True))


def calls_since(app: App, begins: datetime | None) -> Iterator[AssistantCall]:
    """Yield the calls that are kept since a time, oldest first."""
    for line in LineFile(app.state, _NAME).lines():
        with suppress(ValidationError):
            call = AssistantCall.model_validate_json(line)
            if begins is None or call.at >= begins:
                yield call
