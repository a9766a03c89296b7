"""Looking after a vault, in a process that is confined by now."""

import sys

from daemon.app import now
from daemon.cli.options import Options
from daemon.cli.output import log_to_stderr
from daemon.cli.session import DAEMON, opened
from daemon.confinement.confine import Confinement
from daemon.confinement.guard import RENEW
from daemon.host import Host
from daemon.model.errors import CorruptStoreError


def serve(options: Options, confinement: Confinement) -> None:
    """Look after the vault until told to stop; ends with `RENEW` to be started anew."""
    try:
        with opened(options) as app:
            log_to_stderr(app.settings.log_level)
            with app.lock(DAEMON):
                host = Host(app, now, confinement=confinement)
                host.run()
    except CorruptStoreError:
        # It may be the state folder itself that is another one, and only a new process may write
        # there. Where nothing confines this one, the caller begins anew.
        if confinement.why_not:
            raise
        sys.exit(RENEW)
    if not host.stop.asked:
        sys.exit(RENEW)
