"""Events of a command with --follow: one JSON object per line, or lines on stderr."""

import json
from collections.abc import Callable
from typing import Any

from daemon.cli.options import Options
from daemon.cli.output import emit, say, warn
from daemon.model.event import BaseEvent, Done
from daemon.usecases.document import Document
from daemon.usecases.event_lines import progress_line

Follow = Callable[[BaseEvent], None]
"""Shows an event."""


def follower(options: Options) -> Follow:
    """Return what shows each event: for a program, or on stderr."""

    def show(event: BaseEvent) -> None:
        if options.json:
            if not isinstance(event, Done):
                say(event.model_dump_json())
        elif line := progress_line(event):
            warn(line)

    return show


def emit_document(document: Document, *, follow: bool) -> None:
    """Print a document as JSON; with --follow as the last of the events."""
    emit_json(document.as_json(), follow=follow)


def emit_json(document: Any, *, follow: bool) -> None:
    """Print what a command found as JSON; with --follow as the last of the events."""
    if follow:
        say(json.dumps({"type": "done", "ends": "command", "document": document}))
    else:
        emit(document)
