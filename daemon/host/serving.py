"""Watch a vault, in a process that is already confined."""

import logging
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

from daemon.app import App
from daemon.composition import open_app
from daemon.config import credibility_path
from daemon.confinement.confine import Confinement
from daemon.confinement.guard import RENEW
from daemon.host.loop import Host
from daemon.host.os_signals import signals
from daemon.host.reload import Ending, Reload
from daemon.host.stop_deadline import enforce_stop_deadline
from daemon.host.web_on_demand import WebOnDemand
from daemon.model.clock import now
from daemon.model.errors import CorruptStoreError, UnreadableStoreError
from daemon.ports import Stop
from daemon.service.manager import running_command
from daemon.store.permissions import close_to_others
from daemon.usecases.place import Place, settings_of
from daemon.usecases.stopped import DAEMON

_log = logging.getLogger(__name__)
_FOR_COMMAND = 10.0  # seconds that the daemon waits for a command that is writing

Log = Callable[[str, str], None]
"""Sends logs somewhere, by the level and the format of the settings."""


def serve(place: Place, confinement: Confinement, log: Log) -> None:
    """Watch the vault until stopped; exits with `RENEW` to be restarted."""
    try:
        ending = _watch(place, confinement, log)
    except CorruptStoreError:
        # The state folder itself may have been replaced, and only a new process may write there.
        # Without confinement, the caller restarts the loop.
        if confinement.why_not:
            raise
        sys.exit(RENEW)
    except UnreadableStoreError as error:
        if confinement.why_not:
            raise
        _log.error("%s; restarting in a while", error)
        sys.exit(RENEW)
    if ending is Ending.OUT_OF_DATE:
        sys.exit(RENEW)


def _watch(place: Place, confinement: Confinement, log: Log) -> Ending:
    """Run the loop, and another one with another App after each reload."""
    enforce_stop_deadline()
    reload = Reload(
        partial(settings_of, place),
        partial(open_app, config=place.config, is_resident=True),
        tables=(credibility_path(place.config),),
    )
    stop = Stop()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        """Between two loops: the next one handles the request."""
        stop.is_requested |= number != signal.SIGHUP
        reload.is_requested |= number == signal.SIGHUP

    app = open_app(settings_of(place), config=place.config, is_resident=True)
    web = WebOnDemand(partial(_web_command, app, place.config))
    try:
        close_to_others(app.state)
        with app.lock(DAEMON, patience=_FOR_COMMAND), signals(on_signal):
            log(app.settings.log.level, app.settings.log.format)
            _log_confinement(confinement, app)
            while True:
                log(app.settings.log.level, app.settings.log.format)
                web.apply(app.settings.web)
                ending = Host(app, now, stop, confinement=confinement, reload=reload).run()
                if ending is not Ending.RELOADED:
                    return ending
                app.close()
                app = reload.take()
    finally:
        web.stop()
        app.close()


def _web_command(app: App, config: Path | None, listener: int) -> list[str]:
    """Return the command line of a web server for this vault that inherits a socket."""
    place = ["--vault", str(app.adapter.root), "--state", str(app.state)]
    place += [] if config is None else ["--config", str(config)]
    return [str(running_command()), "web", "--listener", str(listener), *place]


def _log_confinement(confinement: Confinement, app: App) -> None:
    """Log what this process can write to; if it was turned off, that is not repeated."""
    if not confinement.why_not:
        inbox = app.adapter.root / app.settings.inbox.folder
        _log.info("confined: writes to %s and %s only", inbox, app.state)
    elif app.settings.confinement.enabled:
        _log.warning("not confined to the inbox and the state: %s", confinement.why_not)
