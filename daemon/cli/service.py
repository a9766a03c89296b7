"""The service that keeps the daemon running."""

import subprocess
from contextlib import suppress
from pathlib import Path

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.run import prepare_folders
from daemon.cli.session import opened
from daemon.service import Place, Service, service_of
from daemon.usecases.place import name_of, settings_file


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def service(context: click.Context, options: Options) -> None:
    """Run the daemon while you are logged in, with systemd or launchd."""
    if context.invoked_subcommand is None:
        context.invoke(service_status)


@service.command("install")
@common
def service_install(options: Options) -> None:
    """Install and start the service of this vault."""
    written = install_service(options)
    if options.json:
        emit({"written": [str(path) for path in written]})
        return
    for path in written:
        say(str(path))
    say("Installed and starting. `lacuna service status` shows whether it runs,")
    say("`lacuna service logs` shows the log.")


def install_service(options: Options) -> tuple[Path, ...]:
    """Create the folders that it writes to, write its files, start it; return the files."""
    wanted = _service(options)
    wanted.require()
    config = settings_file(options)
    with opened(options) as app:
        app.inbox.make_folder()  # otherwise systemd could not make it writable
        writable = prepare_folders(app.settings, has_copies=False)
        place = Place(
            vault=app.adapter.root,
            inbox=app.adapter.root / app.settings.inbox.folder,
            state=app.state,
            config=config if config.is_file() else None,
            others=writable.others if writable else (),
        )
    return wanted.install(place)


@service.command("uninstall")
@common
def service_uninstall(options: Options) -> None:
    """Stop and remove the service; the vault and the state stay."""
    was_there = _service(options).uninstall()
    if options.json:
        emit({"removed": was_there})
    else:
        say("Stopped and removed." if was_there else "It was not installed.")


@service.command("reload")
@common
def service_reload(options: Options) -> None:
    """Reload settings and sources after the current work."""
    _service(options).reload()
    if options.json:
        emit({"asked": True})
    else:
        say("Reload requested. `lacuna service logs` shows the changes, or why it failed.")


@service.command("status")
@common
def service_status(options: Options) -> None:
    """Show whether the service is installed and running."""
    found = _service(options).state()
    if options.json:
        emit({"installed": found.installed, "status": found.status})
    else:
        say(found.status)


@service.command("logs")
@click.option("--lines", "-n", default=50, show_default=True, help="Number of lines.")
@click.option("--follow", "-f", is_flag=True, help="Follow the log.")
@common
def service_logs(options: Options, *, lines: int, follow: bool) -> None:
    """Print the service log, newest last."""
    command = _service(options).logs(lines, follow=follow)
    with suppress(KeyboardInterrupt):  # following ends like this
        click.get_current_context().exit(subprocess.run(command, check=False).returncode)


def _service(options: Options) -> Service:
    """Return the vault's service; the vault itself may be gone."""
    return service_of(name_of(options))
