"""Keep the landscape in the inbox: a note, and a YAML file next to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from daemon.cycle.knowledge import Knowledge
from daemon.findings.landscape_file import merged
from daemon.findings.landscape_note import LANDSCAPE, empty_landscape, with_mentions
from daemon.inbox.inbox import Inbox
from daemon.model.landscape import Mention

_NAME = "Landscape"
_MAX_FILES = 9  # YAML files: a new one where the last is no longer a list of entities


@dataclass(frozen=True, slots=True)
class Landscape:
    """Adds what was mentioned. What the user changed in the note or the file stays."""

    knowledge: Knowledge
    inbox: Inbox

    def add(self, mentions: Sequence[Mention], now: datetime) -> str:
        """Add entities and where they were met; return the path of the note, "" if it was not
        changed. Raises StoreError, VaultError.
        """
        if not mentions:
            return ""
        self._add_to_file(mentions)
        link = self.knowledge.linker()
        return self.inbox.add_to_own(
            LANDSCAPE,
            _NAME,
            empty_landscape(now, self.inbox.tz),
            lambda text: with_mentions(text, mentions, link),
            taken=self.knowledge.paths(),
        )

    def _add_to_file(self, mentions: Sequence[Mention]) -> None:
        files = self.inbox.files
        for number in range(1, _MAX_FILES + 1):
            path = f"{files.folder}/{_NAME}{f' {number}' if number > 1 else ''}.yaml"
            seen = files.check(path)
            text = merged(seen.text if seen is not None else "", mentions)
            if text is None:
                continue  # the user made something else of it
            if seen is None:
                files.create(path, text, "")
            else:
                files.rewrite(seen, text)
            return
