"""The daemon itself.

Imports may start threads, and a thread that is already running is not confined with the process: so
hardly anything is imported here, and the rest later.
"""

import gc

import click

from daemon.cli.options import Options, common
from daemon.cli.output import log_to_stderr
from daemon.host.starting import prepare_only, start

# New objects before Python collects garbage, until the daemon is ready: nearly all objects of a
# start are permanent, and scanning them took an eighth of the start.
_AT_START = 50_000


@click.command()
@click.option("--prepare", is_flag=True, help="Only create the folders that the daemon writes to.")
@common
def run(options: Options, *, prepare: bool) -> None:
    """Run the daemon in the foreground, until SIGTERM or Ctrl-C."""
    gc.set_threshold(_AT_START)
    log_to_stderr("warning")
    if prepare:
        prepare_only(options, log_to_stderr)
    else:
        start(options, log_to_stderr)
