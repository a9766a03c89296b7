"""The daemon itself.

Imports may start threads, and a thread that is already running is not confined with the process: so
hardly anything is imported here, and the rest later.
"""

import click

from daemon.cli.logs import log_to_stderr
from daemon.cli.options import Options, common
from daemon.host.starting import prepare_only, start


@click.command()
@click.option("--prepare", is_flag=True, help="Only create the folders that the daemon writes to.")
@common
def run(options: Options, *, prepare: bool) -> None:
    """Run the daemon in the foreground, until SIGTERM or Ctrl-C."""
    log_to_stderr("warning")
    if prepare:
        prepare_only(options, log_to_stderr)
    else:
        start(options, log_to_stderr)
