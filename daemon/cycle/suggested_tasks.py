"""Write the tasks that reports and documents suggest, each once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from daemon.cycle.knowledge import Knowledge
from daemon.findings.task_note import FOLDER, empty_note, task_key, task_line, with_lines
from daemon.inbox.inbox import Inbox
from daemon.model.tasks import SuggestedTask, TaskFormat, TaskStyle
from daemon.store.meta import SuggestionState

_TASKS = "tasks"  # lacuna_id of the one note


@dataclass(frozen=True, slots=True)
class SuggestedTasks:
    """Adds tasks to a note in the inbox, in the user's format.

    A task that was suggested before is not suggested again, whatever became of its line.
    """

    state: SuggestionState
    knowledge: Knowledge
    inbox: Inbox
    format: TaskFormat

    def add(self, tasks: Iterable[SuggestedTask], now: datetime) -> str:
        """Write the tasks that are new; return the path of their note, "" if there are none.

        While the note is being edited, they wait for the next ones. Raises StoreError, VaultError.
        """
        known, waiting = self.state.tasks()
        fresh = {_hashed(task): task for task in tasks}
        fresh = {key: task for key, task in fresh.items() if key not in known}
        if self.format.style is TaskStyle.OFF or not (fresh or waiting):
            return ""
        local = now.astimezone(self.inbox.tz)
        link = self.knowledge.linker()
        lines = [task_line(each, self.format, local.date(), link) for each in fresh.values()]
        path = self._write([*waiting, *lines], local)
        self.state.save_tasks([*known, *fresh], [] if path else [*waiting, *lines])
        return path

    def _write(self, lines: Sequence[str], local: datetime) -> str:
        is_daily = self.format.style is TaskStyle.DAILY
        id_ = f"{_TASKS}-{local:%Y-%m-%d}" if is_daily else _TASKS
        name = local.strftime(self.format.daily_name) if is_daily else "Tasks"
        return self.inbox.add_to_own(
            id_,
            name,
            empty_note(id_, local, self.inbox.tz),
            lambda text: with_lines(text, [each for each in lines if each not in text]),
            taken=self.knowledge.paths(),
            folder=FOLDER if is_daily else "",
        )


def _hashed(task: SuggestedTask) -> str:
    return sha256(task_key(task).encode("utf-8", "replace")).hexdigest()[:16]
