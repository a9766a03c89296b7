"""The process that analyses a vault's index: `python -m daemon.adapters.analysis_worker`.

It reads the options as JSON from stdin and writes lines of JSON to stdout: its progress, each time
a stage begins, and last the health, or the map if it gets clusters to draw. Exit 1 with one line
on stderr when that cannot be done.
"""

import gc
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path

from daemon.analysis.keep import health_to_json
from daemon.cycle.analysing import analyse_vault, draw_map
from daemon.cycle.analysis_options import options_from_json
from daemon.model.errors import LacunaError
from daemon.store.db import ReadOnlyDatabase
from daemon.store.notes import NoteStore


def main() -> int:
    """Analyse once. The database is left as it is: the parent is its writer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which waits
    gc.disable()  # what is made here is held to the end; to search it for garbage takes a quarter
    request = json.load(sys.stdin)
    try:
        options = options_from_json(request["options"])
        notes = NoteStore(ReadOnlyDatabase(Path(request["database"])))
        if "clusters" in request:
            drawn = draw_map(notes, options, request["clusters"], _report)
            result = json.dumps(asdict(drawn), ensure_ascii=False, separators=(",", ":"))
        else:
            result = health_to_json(analyse_vault(notes, options, _report))
    except LacunaError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(result)
    return 0


def _report(done: int, total: int, what: str) -> None:
    sys.stdout.write(json.dumps([done, total, what]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
