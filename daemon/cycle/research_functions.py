"""Functions of `daemon.research` for the steps outside a run, which load them as one, on first use.

Research compiles hundreds of patterns: a daemon that researches nothing does without them.
"""

from daemon.cycle.recovered_records import key_of, records_of
from daemon.cycle.replays import replay_notes
from daemon.reports.said import statements_of
from daemon.research.manual import explains
from daemon.research.offered import offered

__all__ = ["explains", "key_of", "offered", "records_of", "replay_notes", "statements_of"]
