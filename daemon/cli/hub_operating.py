"""The commands of `lacuna hub` for the operator of a hub."""

import sys
from contextlib import closing
from pathlib import Path

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.model.clock import now
from daemon.model.errors import LacunaError

try:
    from daemon.faces.hub.hub_server import LOOPBACK, hub_application, hub_server
    from daemon.usecases import hub_operating as usecase
    from daemon.usecases.hub_work import HubBudget, HubJobs
except ModuleNotFoundError as error:
    raise LacunaError(f"a hub needs {error.name}: pip install 'lacuna-daemon[hub]'") from None

_PORT = 7432
_WHOLE = 100  # per cent
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_ROLES = click.Choice(["reader", "reviewer", "owner"])
_group = click.option("--group", "is_group", is_flag=True, help="NAME is a group.")


@click.command("init")
@common
def hub_init(options: Options) -> None:
    """Create the tables; the same as `migrate`."""
    _show_migrated(options)


@click.command("migrate")
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


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, resolve_path=True))
@common
def hub_backup(options: Options, *, file: Path) -> None:
    """Copy the hub's database into FILE, while the hub runs. Needs pg_dump.

    Example: lacuna hub backup hub.dump
    """
    done = usecase.back_up(options, file)
    if options.json:
        emit(done.as_json())
    else:
        say(f"{done.file}: {done.bytes / 1_000_000:.1f} MB")


@click.command("restore")
@click.argument("file", type=_FILE)
@common
def hub_restore(options: Options, *, file: Path) -> None:
    """Restore a backup into an empty database. Needs pg_restore.

    Vaults compare within an hour, and send what the hub does not have.

    Example: lacuna hub restore hub.dump
    """
    done = usecase.restore(options, file)
    if options.json:
        emit(done.as_json())
    else:
        say(f"Restored. The tables have version {done.version}.")


@click.command("status")
@common
def hub_status(options: Options) -> None:
    """Show the version, the size and the counts of the hub."""
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


@click.command("invite")
@click.argument("group")
@click.argument("people", nargs=-1, required=True)
@click.option(
    "--role",
    type=_ROLES,
    default="reader",
    show_default=True,
    help="What each of them may do in the vaults of the others.",
)
@click.option("--days", type=click.IntRange(1, 3650), default=365, show_default=True,
              help="How long the tokens are valid.")  # fmt: skip
@common
def hub_invite(
    options: Options, *, group: str, people: tuple[str, ...], role: str, days: int
) -> None:
    """Create a group of new people: each has a vault, a token, and rights in all vaults.

    Example: lacuna hub invite bakers ada ben cy
    """
    asked = {"group": group, "people": people, "role": role, "days": days}
    made = usecase.invite(options, usecase.InviteRequest.of(asked), now())
    if options.json:
        emit(made.as_json())
        return
    say("Give each person their line: tokens are not shown again.")
    for each in made.root:
        say(f"{each.person}  {each.vault}  {each.token}")


@click.command("person")
@click.argument("action", type=click.Choice(["add", "disable", "delete"]))
@click.argument("name")
@click.option("--email", help="With `add`: an address that the provider of single sign-on knows.")
@common
def hub_person(options: Options, *, action: str, name: str, email: str | None) -> None:
    """Add, disable or delete an account; `delete` also deletes the vaults it owns.

    Example: lacuna hub person add ada --email ada@example.org
    """
    if action == "add":
        _show(options, usecase.add_person(options, name, email))
        return
    use = {"disable": usecase.disable_person, "delete": usecase.delete_person}
    _show(options, use[action](options, name))


@click.command("group")
@click.argument("name")
@click.argument("members", nargs=-1)
@common
def hub_group(options: Options, *, name: str, members: tuple[str, ...]) -> None:
    """Create a group of people.

    Example: lacuna hub group bakers ada ben
    """
    _show(options, usecase.add_group(options, name, members))


@click.command("vault")
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


@click.command("grant")
@click.argument("shared", metavar="VAULT")
@click.argument("name")
@click.option("--role", type=_ROLES, default="reader", show_default=True, help="The role.")
@click.option("--folder", default="", help="Only this folder of the vault.")
@_group
@common
def hub_grant(
    options: Options, *, shared: str, name: str, role: str, folder: str, is_group: bool
) -> None:
    """Give a person or a group access to a vault.

    Example: lacuna hub grant "ada's notes" ben --folder Baking
    """
    asked = {"vault": shared, "name": name, "role": role, "folder": folder, "is_group": is_group}
    _show(options, usecase.grant(options, usecase.GrantRequest.of(asked)))


@click.command("revoke")
@click.argument("shared", metavar="VAULT")
@click.argument("name")
@_group
@common
def hub_revoke(options: Options, *, shared: str, name: str, is_group: bool) -> None:
    """Revoke all access of a person or a group to a vault."""
    asked = {"vault": shared, "name": name, "is_group": is_group}
    _show(options, usecase.revoke(options, usecase.RevokeRequest.of(asked)))


@click.command("token")
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


def _show(options: Options, changed: usecase.HubChanged) -> None:
    if options.json:
        emit(changed.as_json())
    else:
        say(f"Done: {changed.done}.")


@click.command("serve")
@click.option("--host", default=LOOPBACK[0], show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=_PORT, show_default=True,
              help="TCP port.")  # fmt: skip
@click.option("--certificate", type=_FILE, help="TLS certificate (PEM), for other machines.")
@click.option("--key", type=_FILE, help="Private key of the certificate (PEM).")
@common
def hub_serve(
    options: Options, *, host: str, port: int, certificate: Path | None, key: Path | None
) -> None:
    """Serve the hub to vaults, until Ctrl-C. Several servers may share one database.

    Example: lacuna hub serve --host 0.0.0.0 --certificate hub.pem --key hub.key
    """
    with closing(usecase.hub_service(options, now)) as service:
        server = hub_server(hub_application(service), host, port, certificate, key)
        say(f"Listening on {'http' if certificate is None else 'https'}://{host}:{port}")
        sys.stdout.flush()
        server.run()


@click.command("jobs")
@click.option("--retry", type=int, metavar="JOB", help="Retry a job that failed for good.")
@common
def hub_jobs(options: Options, *, retry: int | None) -> None:
    """Show the work of the hub, and what failed.

    Example: lacuna hub jobs
    """
    if retry is not None:
        _show(options, usecase.retry_job(options, retry, now()))
        return
    found = usecase.jobs(options)
    if options.json:
        emit(found.as_json())
        return
    _say_work(found)


def _say_work(found: HubJobs) -> None:
    for queue in found.queues:
        say(
            f"{queue.name}: {queue.todo} waiting, {queue.doing} in progress, {queue.failed} failed;"
            f" {queue.hour:,} done this hour"
        )
    if not found.queues:
        say("Nothing is to be done.")
    for each in found.workers:
        what = f"works on {each.queue}" if each.queue else "waits for work"
        say(f"Worker {each.id} {what}; last heartbeat {each.seconds} s ago.")
    if not found.workers:
        say("No worker runs: `lacuna worker`")
    for share in found.vaults:
        say(
            f"{share.vault} ({share.owner}): {share.waiting:,} passages waiting, {share.hour:,}"
            f" embedded this hour, {share.day:,} in 24 hours; {share.asking} queries and calls"
            f" waiting, {share.requests:,} requests, {share.tokens:,} tokens and ${share.usd:.2f}"
            " in 24 hours"
        )
    say(_budget_line(found.budget))
    for job in found.failed:
        say(f"Job {job.id} of {job.queue} failed after {job.attempts} attempts.")
    if found.failed:
        say("Try one again: `lacuna hub jobs --retry JOB`")


def _budget_line(budget: HubBudget) -> str:
    spent = budget.spent
    of = (
        f"{spent.requests:,} of {budget.requests or 'any number of'} requests",
        f"{spent.tokens:,} of {budget.tokens or 'any number of'} tokens",
        f"${spent.usd:.2f} of {f'${budget.usd:.2f}' if budget.usd else 'any amount'}",
    )
    share = f"; at most {budget.share}% for one person" if budget.share < _WHOLE else ""
    return f"This night: {', '.join(of)}{share}."


@click.command("budget")
@click.option("--requests", type=click.IntRange(0), help="Requests to sources and models.")
@click.option("--tokens", type=click.IntRange(0), help="Tokens of language models.")
@click.option("--usd", type=click.FloatRange(0, 1e6), help="US dollars.")
@click.option(
    "--share", type=click.IntRange(1, 100), help="Per cent of it that one person may use."
)
@common
def hub_budget(options: Options, **given: float | None) -> None:
    """Show or set what workers may spend in a night.

    It is for all vaults together. A night lasts from noon to noon. What is not given has no limit.

    Example: lacuna hub budget --requests 2000 --usd 5 --share 20
    """
    values = {name: value for name, value in given.items() if value is not None}
    asked = usecase.HubBudgetRequest.of(values) if values else None
    found = usecase.night_budget(options, asked)
    if options.json:
        emit(found.as_json())
    else:
        say(_budget_line(found))


@click.command("worker")
@click.option("--queues", default="", help="Comma-separated queues.  [default: all]")
@click.option("--until-done", is_flag=True, help="End when nothing is left to do.")
@common
def worker(options: Options, *, queues: str, until_done: bool) -> None:
    """Carry out the hub's jobs, until Ctrl-C. Start as many as you like, on any machine.

    The queues are embed, extract, research and models.

    Example: lacuna worker --queues embed,extract,research,models
    """
    names = tuple(filter(None, map(str.strip, queues.split(","))))

    def begun() -> None:
        say(f"Working on {', '.join(names) or 'all queues'}.")
        sys.stdout.flush()

    usecase.run_worker(options, names, begun, until_done=until_done)
