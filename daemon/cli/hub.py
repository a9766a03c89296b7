"""A hub of several vaults, for who operates it."""

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say, say_folded
from daemon.cli.session import opened
from daemon.model.clock import now
from daemon.model.errors import LacunaError

try:
    from daemon.usecases import hub as usecase
except ModuleNotFoundError as error:
    raise LacunaError(f"a hub needs {error.name}: pip install 'lacuna-daemon[hub]'") from None

_ROLES = click.Choice(["reader", "reviewer", "owner"])
_group = click.option("--group", "is_group", is_flag=True, help="NAME is a group.")


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def hub(context: click.Context, options: Options) -> None:
    """Share notes of several vaults through PostgreSQL.

    Example: lacuna config set hub.database postgresql://localhost/lacuna
    """
    if context.invoked_subcommand is None:
        context.invoke(hub_status)


@hub.command("init")
@common
def hub_init(options: Options) -> None:
    """Create the tables; the same as `migrate`."""
    _show_migrated(options)


@hub.command("migrate")
@common
def hub_migrate(options: Options) -> None:
    """Bring the tables up to date."""
    _show_migrated(options)


def _show_migrated(options: Options) -> None:
    done = usecase.migrate(options)
    if options.json:
        emit(done.as_json())
    elif done.before == done.version:
        say(f"The tables are up to date: version {done.version}.")
    else:
        say(f"The tables now have version {done.version}.")


@hub.command("status")
@common
def hub_status(options: Options) -> None:
    """Show what the hub has."""
    found = usecase.state(options)
    if options.json:
        emit(found.as_json())
        return
    if found.version is None:
        say("There are no tables yet: `lacuna hub init`")
        return
    say(f"Version {found.version}, {found.bytes / 1_000_000:.0f} MB")
    say(f"{found.people} people, {found.vaults} vaults")
    say(f"{found.notes} notes, {found.chunks} passages")


@hub.command("person")
@click.argument("action", type=click.Choice(["add", "disable", "delete"]))
@click.argument("name")
@common
def hub_person(options: Options, *, action: str, name: str) -> None:
    """Add, disable or delete an account; `delete` also deletes the vaults it owns.

    Example: lacuna hub person add ada
    """
    use = {
        "add": usecase.add_person,
        "disable": usecase.disable_person,
        "delete": usecase.delete_person,
    }
    _show(options, use[action](options, name))


@hub.command("group")
@click.argument("name")
@click.argument("members", nargs=-1)
@common
def hub_group(options: Options, *, name: str, members: tuple[str, ...]) -> None:
    """Create a group of people.

    Example: lacuna hub group bakers ada ben
    """
    _show(options, usecase.add_group(options, name, members))


@hub.command("vault")
@click.argument("action", type=click.Choice(["add", "delete"]))
@click.argument("name")
@click.option("--owner", help="Who publishes to it; with `add`.")
@common
def hub_vault(options: Options, *, action: str, name: str, owner: str | None) -> None:
    """Add a vault that only its owner can read, or delete it with all that it published.

    Example: lacuna hub vault add "ada's notes" --owner ada
    """
    if action == "delete":
        _show(options, usecase.delete_vault(options, name))
    elif owner is None:
        raise click.UsageError("give --owner")
    else:
        _show(options, usecase.add_vault(options, name, owner))


@hub.command("grant")
@click.argument("shared", metavar="VAULT")
@click.argument("name")
@click.option("--role", type=_ROLES, default="reader", show_default=True, help="The role.")
@click.option("--folder", default="", help="Only this folder of the vault.")
@_group
@common
def hub_grant(
    options: Options, *, shared: str, name: str, role: str, folder: str, is_group: bool
) -> None:
    """Let a person or a group use a vault.

    Example: lacuna hub grant "ada's notes" ben --folder Baking
    """
    asked = {"vault": shared, "name": name, "role": role, "folder": folder, "is_group": is_group}
    _show(options, usecase.grant(options, usecase.GrantRequest.of(asked)))


@hub.command("revoke")
@click.argument("shared", metavar="VAULT")
@click.argument("name")
@_group
@common
def hub_revoke(options: Options, *, shared: str, name: str, is_group: bool) -> None:
    """Take away all rights of a person or a group in a vault."""
    asked = {"vault": shared, "name": name, "is_group": is_group}
    _show(options, usecase.revoke(options, usecase.RevokeRequest.of(asked)))


@hub.command("token")
@click.argument("person")
@click.argument("device")
@click.option("--days", type=click.IntRange(1, 3650), default=365, show_default=True,
              help="How long it is valid.")  # fmt: skip
@click.option("--revoke", is_flag=True, help="Refuse the tokens of this device instead.")
@common
def hub_token(options: Options, *, person: str, device: str, days: int, revoke: bool) -> None:
    """Create a token for a device, and print it once.

    Example: lacuna hub token ada laptop
    """
    if revoke:
        _show(options, usecase.revoke_tokens(options, person, device))
        return
    made = usecase.new_token(options, person, device, days, now())
    if options.json:
        emit(made.as_json())
    else:
        say(made.token)


@hub.command("publish")
@click.argument("shared", metavar="VAULT")
@click.option("--as", "person", required=True, metavar="PERSON", help="The owner of VAULT.")
@click.option("--folder", "folders", multiple=True, help="A folder to share; repeatable.")
@click.option("--all", "is_all", is_flag=True, help="Share the whole vault.")
@click.option("--text", is_flag=True, help="Also share names and text, not only embeddings.")
@common
def hub_publish(
    options: Options,
    *,
    shared: str,
    person: str,
    folders: tuple[str, ...],
    is_all: bool,
    text: bool,
) -> None:
    """Publish notes of this vault to VAULT on the hub, and withdraw the others.

    Example: lacuna hub publish "ada's notes" --as ada --folder Baking --text
    """
    if is_all == bool(folders):
        raise click.UsageError("give --folder or --all")
    with opened(options) as app:
        done = usecase.publish(app, shared, person, folders or ("",), with_text=text)
    if options.json:
        emit(done.as_json())
    else:
        say(f"{done.shared} notes are shared: {done.sent} sent, {done.withdrawn} withdrawn.")


@hub.command("search")
@click.argument("query")
@click.option("--as", "person", required=True, metavar="PERSON", help="Whose rights apply.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True,
              help="Maximum number of notes.")  # fmt: skip
@common
def hub_search(options: Options, *, query: str, person: str, limit: int) -> None:
    """Search every vault that a person may read.

    Example: lacuna hub search "wild yeast" --as ben
    """
    with opened(options) as app:
        found = usecase.search(app, query, person, limit)
    if options.json:
        emit(found.as_json())
        return
    for hit in found.root:
        say(f"{hit.vault}: {hit.name or hit.path}")
        if hit.text is not None:
            say_folded(hit.text[:200], indent=4)
    if not found.root:
        say("Nothing that you may read matches.")


def _show(options: Options, changed: usecase.HubChanged) -> None:
    if options.json:
        emit(changed.as_json())
    else:
        say(f"Done: {changed.done}.")
