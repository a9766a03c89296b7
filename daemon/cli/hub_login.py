"""`lacuna hub login`."""

import platform
import webbrowser

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, warn
from daemon.cli.secrets import passphrase
from daemon.usecases import hub_login as usecase
from daemon.usecases import settings
from daemon.usecases.secrets import key_ring

_KEY = "hub"


@click.command("login")
@click.argument("url", default="")
@click.argument("name", default="")
@click.option(
    "--device", default=platform.node, help="Name of this device.  [default: its host name]"
)
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
@common
def hub_login(options: Options, *, url: str, name: str, device: str, no_browser: bool) -> None:
    """Sign in to a hub with single sign-on, in a browser on this machine.

    With URL and NAME, this vault is connected to the hub as NAME first.

    Example: lacuna hub login https://hub.example.org "ada's notes"
    """
    if bool(url) is not bool(name):
        raise click.UsageError("give the address of the hub and the name of this vault, or neither")
    keys = key_ring(options, passphrase(options))
    keys.require(_KEY)

    def show(page: str) -> None:
        warn(f"Sign in here: {page}")
        if not no_browser:
            webbrowser.open(page)

    found = usecase.login(options, url, name, device or "device", show)
    keys.set(_KEY, found.token)
    for key, value in {"hub.vault": name, "hub.url": url}.items() if url else ():
        settings.change(options, settings.SetRequest(key=key, value=value))
    if options.json:
        emit(usecase.HubLoggedIn(name=found.name, until=found.until).as_json())
    else:
        say(f"Signed in as {found.name} until {found.until:%Y-%m-%d}.")
