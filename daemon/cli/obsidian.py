"""The plugin for Obsidian from the command line."""

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.session import opened
from daemon.usecases import obsidian as usecase


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def obsidian(context: click.Context, options: Options) -> None:
    """Install the plugin for Obsidian into the vault, or remove it."""
    if context.invoked_subcommand is None:
        context.invoke(obsidian_status)


@obsidian.command("install")
@common
def obsidian_install(options: Options) -> None:
    """Copy the plugin into the vault; nothing else in it changes.

    This is the only command that writes outside the inbox. Turn the plugin on in Obsidian, under
    Settings, Community plugins.
    """
    with opened(options) as app:
        done = usecase.install(app)
    if options.json:
        emit(done.as_json())
        return
    for path in done.files:
        say(path)
    if not done.files:
        say("The plugin is up to date.")
        return
    say("Installed. In Obsidian, reload the plugins and turn on Lacuna under Settings,")
    say("Community plugins; then paste what `lacuna obsidian token` prints into its settings.")
    say("The plugin connects to `lacuna web`.")


@obsidian.command("remove")
@common
def obsidian_remove(options: Options) -> None:
    """Delete the files that `install` wrote; the plugin's settings stay."""
    with opened(options) as app:
        done = usecase.remove(app)
    if options.json:
        emit(done.as_json())
        return
    for path in done.files:
        say(path)
    say("Removed." if done.files else "The plugin was not installed.")


@obsidian.command("status")
@common
def obsidian_status(options: Options) -> None:
    """Show whether the plugin is installed and turned on."""
    with opened(options) as app:
        found = usecase.state(app)
    if options.json:
        emit(found.as_json())
        return
    if found.installed is None:
        say("The plugin is not installed: `lacuna obsidian install`")
        return
    say(f"Version {found.installed}, {'on' if found.enabled else 'off'} in Obsidian.")
    if found.installed != found.available:
        say(f"Version {found.available} is available: `lacuna obsidian install`")


@obsidian.command("token")
@common
def obsidian_token(options: Options) -> None:
    """Print the token to paste into the plugin's settings. Keep it secret."""
    with opened(options) as app:
        found = usecase.token(app)
    if options.json:
        emit(found.as_json())
    else:
        say(found.token)
