"""`lacuna hub key`."""

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.secrets import read_secret
from daemon.model.errors import LacunaError

try:
    from daemon.usecases import hub_keys as usecase
except ModuleNotFoundError as error:
    raise LacunaError(f"a hub needs {error.name}: pip install 'lacuna-daemon[hub]'") from None


@click.command("key")
@click.argument("name", default="")
@click.argument("whose", default="")
@click.option("--group", "is_group", is_flag=True, help="WHOSE is a group.")
@click.option("--delete", is_flag=True, help="Delete the key.")
@common
def hub_key(options: Options, *, name: str, whose: str, is_group: bool, delete: bool) -> None:
    """Store an API key of a person or a group; prompts, or reads standard input.

    Workers use it for the vaults of that person only, or for those that members of that group share
    with it. Without NAME, list the keys.

    Example: lacuna hub key brave bakers --group
    """
    if not name:
        _list(options)
        return
    if not whose:
        raise click.UsageError("name the person or the group")
    key = usecase.HubKey(name=name, whose=whose, is_group=is_group)
    if delete:
        done = usecase.delete_key(options, key)
    elif value := read_secret(name):
        done = usecase.store_key(options, key, value)
    else:
        raise LacunaError("no input; nothing changed")
    if options.json:
        emit(done.as_json())
    else:
        say(f"Done: {done.done}.")


def _list(options: Options) -> None:
    found = usecase.keys(options)
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        say(f"{each.name}: {'group ' if each.is_group else ''}{each.whose}")
    if not found.root:
        say("Nobody has a key here: workers use their own.")
