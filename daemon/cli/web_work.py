"""The process in which `lacuna web` carries out use cases while no daemon runs."""

import os
import sys
from pathlib import Path

from daemon.child_environment import hold
from daemon.cli import own_process
from daemon.cli.options import Options
from daemon.cli.output import warn
from daemon.cli.session import opened
from daemon.host.served_work import ServedWork
from daemon.model.errors import CorruptStoreError, LacunaError
from daemon.usecases.in_process import InProcess
from vault_adapters.base import VaultError


def main() -> None:
    """Read the orders, and work for the server until it ends."""
    own_process.begin()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what a library prints is no answer
        served = ServedWork(sys.stdin, answers)
        orders = served.orders()
        hold(orders["keys"])
        vault, config, state = (path and Path(path) for path in orders["place"])
        options = Options(vault, config, state)
        try:
            _work(options, served)
        except CorruptStoreError:  # opening it again repairs it
            _work(options, served)
        except (LacunaError, VaultError) as error:
            served.refuse(error)


def _work(options: Options, served: ServedWork) -> None:
    with opened(options, confined=True, makes_notes=True) as app:
        served.run(InProcess(app, warn))


if __name__ == "__main__":
    main()
