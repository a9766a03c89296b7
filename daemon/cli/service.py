"""The service that keeps the daemon running."""

import click

from daemon import service as systemd
from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import opened
from daemon.config import config_path


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def service(context: click.Context, options: Options) -> None:
    """Have systemd run the daemon whenever you are logged in."""
    if context.invoked_subcommand is None:
        context.invoke(service_status)


@service.command("install")
@common
def service_install(options: Options) -> None:
    """Write the user unit for this vault, enable it and start it."""
    systemd.require()
    config = (options.config or config_path()).absolute()
    with opened(options) as app:
        app.inbox.make_folder()  # or systemd could not make it writable
        place = systemd.Place(
            vault=app.adapter.root,
            inbox=app.adapter.root / app.settings.inbox,
            state=app.state,
            config=config if config.is_file() else None,
        )
    written = systemd.install(place)
    if options.json:
        emit({"written": [str(path) for path in written]})
        return
    for path in written:
        say(str(path))
    say("Installed, and starting: `lacuna service status` says how it is.")
    say("What it does is in `journalctl --user --unit lacuna`.")


@service.command("uninstall")
@common
def service_uninstall(options: Options) -> None:
    """Stop the service and remove its files; the vault and the state stay."""
    was_there = systemd.uninstall()
    if options.json:
        emit({"removed": was_there})
    else:
        say("Stopped and removed." if was_there else "It was not installed.")


@service.command("status")
@common
def service_status(options: Options) -> None:
    """Say whether systemd runs the daemon."""
    found = systemd.state()
    if options.json:
        emit({"installed": found.installed, "status": found.status})
    else:
        say(found.status)
