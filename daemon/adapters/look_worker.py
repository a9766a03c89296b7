"""The process that looks at a vault's index: `python -m daemon.adapters.look_worker`.

It reads what to look at as JSON from stdin and writes the health as JSON to stdout. Exit 1 with one
line on stderr when that cannot be done.
"""

import gc
import json
import signal
import sys
from datetime import datetime
from pathlib import Path

from daemon.agenda.scope import Scope
from daemon.analysis.keep import to_text
from daemon.cycle.look import Terms, look
from daemon.model.errors import LacunaError
from daemon.store.db import Database
from daemon.store.notes import NoteStore


def main() -> int:
    """Look once. The database is left as it is: whoever asked is its writer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which waits
    gc.disable()  # what is made here is held to the end; to search it for garbage takes a quarter
    asked = json.load(sys.stdin)
    terms = Terms(
        asked["model"],
        asked["meaning_similarity"],
        asked["stale_days"],
        datetime.fromisoformat(asked["until"]),
        Scope(tuple(asked["scope"]["folders"]), tuple(asked["scope"]["tags"])),
    )
    try:
        found = look(NoteStore(Database(Path(asked["database"]))), terms)
    except LacunaError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(to_text(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
