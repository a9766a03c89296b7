"""The service that keeps the daemon running."""

import subprocess
from contextlib import suppress

import click

from daemon.cli.group import Group
from daemon.cli.logs import log_to_stderr
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.usecases.service import install, log_command, reload, state, uninstall


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
    log_to_stderr("warning")
    installed = install(options)
    if options.json:
        emit(installed.as_json())
        return
    for path in installed.written:
        say(path)
    say("Installed and starting. `lacuna service status` shows whether it runs,")
    say("`lacuna service logs` shows the log.")


@service.command("uninstall")
@common
def service_uninstall(options: Options) -> None:
    """Stop and remove the service; the vault and the state stay."""
    done = uninstall(options)
    if options.json:
        emit(done.as_json())
    else:
        say("Stopped and removed." if done.removed else "It was not installed.")


@service.command("reload")
@common
def service_reload(options: Options) -> None:
    """Reload settings and sources after the current work."""
    done = reload(options)
    if options.json:
        emit(done.as_json())
    else:
        say("Reload requested. `lacuna service logs` shows the changes, or why it failed.")


@service.command("status")
@common
def service_status(options: Options) -> None:
    """Show whether the service is installed and running."""
    found = state(options)
    if options.json:
        emit(found.as_json())
    else:
        say(found.status)


@service.command("logs")
@click.option("--lines", "-n", default=50, show_default=True, help="Number of lines.")
@click.option("--follow", "-f", is_flag=True, help="Follow the log.")
@common
def service_logs(options: Options, *, lines: int, follow: bool) -> None:
    """Print the service log, newest last."""
    command = log_command(options, lines, follow=follow)
    with suppress(KeyboardInterrupt):  # following ends like this
        click.get_current_context().exit(subprocess.run(command, check=False).returncode)
