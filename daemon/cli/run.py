"""The daemon itself."""

import click

from daemon.app import now
from daemon.cli.options import Options, common
from daemon.cli.output import log_to_stderr
from daemon.cli.session import DAEMON, opened
from daemon.host import Host


@click.command()
@common
def run(options: Options) -> None:
    """Run the daemon in the foreground, until SIGTERM or Ctrl-C."""
    with opened(options) as app:
        log_to_stderr(app.settings.log_level)
        with app.lock(DAEMON):
            Host(app, now).run()
