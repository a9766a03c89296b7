"""Operate a hub of several vaults: its tables, its people and their rights.

Needs the extra `hub`.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import Field
from sqlalchemy import Connection, func, select, text

from daemon.composition import open_models
from daemon.hub.database import Database
from daemon.hub.dumps import dump
from daemon.hub.dumps import restore as restore_dump
from daemon.hub.members import Grantee, People, Role
from daemon.hub.night_budget import NightBudget
from daemon.hub.tables import chunks, notes, people, vaults
from daemon.hub.waiting_chunks import EMBED
from daemon.hub.worker_jobs import QUEUES, Jobs, Tools, work
from daemon.hub_pages import page_reader, texts_compared
from daemon.hub_services import services_of
from daemon.hub_sign_in import admission, identity_provider
from daemon.model.errors import HubError
from daemon.model.spending import MICROS
from daemon.usecases.document import Document, ListDocument, Request
from daemon.usecases.hub_logins import SignIn
from daemon.usecases.hub_service import HubService
from daemon.usecases.hub_work import HubBudget, HubJobs
from daemon.usecases.hub_workload import change_budget, work_of
from daemon.usecases.place import Place, settings_file, settings_of

OPERATOR = "operator"  # in the audit log: a person with access to the database itself


class RevokeRequest(Request):
    """Whose rights in which vault."""

    vault: str = Field(description="Name of the vault.", examples=["ada's notes"])
    name: str = Field(description="Name of a person or a group.", examples=["ben"])
    is_group: bool = Field(default=False, description="Whether it is a group.", examples=[True])


class GrantRequest(RevokeRequest):
    """Which rights in which vault."""

    role: Role = Field(default=Role.READER, description="The role.", examples=["reviewer"])
    folder: str = Field(
        default="", description='Only this folder; "": all of it.', examples=["Baking"]
    )


class InviteRequest(Request):
    """A group of people who are new on the hub."""

    group: str = Field(description="Name of the new group.", examples=["bakers"])
    people: tuple[str, ...] = Field(
        min_length=1, description="Names of the new accounts.", examples=[["ada", "ben"]]
    )
    role: Role = Field(
        default=Role.READER,
        description="Of each in the vaults of the others.",
        examples=["reviewer"],
    )
    days: int = Field(ge=1, description="Days for which the tokens are valid.", examples=[30])


class HubInvitation(Document):
    """What somebody needs to join."""

    person: str = Field(description="Name of the account.", examples=["ada"])
    vault: str = Field(description="Name of the person's vault.", examples=["ada's notes"])
    token: str = Field(description="The token; it cannot be shown again.", examples=["b0x" * 14])


class HubInvitations(ListDocument[HubInvitation]):
    """What each of several people needs to join."""


class HubState(Document):
    """The tables of the hub, and what is in them."""

    version: str | None = Field(
        description="Version of the tables; null before `lacuna hub init`.", examples=["0001"]
    )
    people: int = Field(description="Number of accounts.", examples=[5])
    vaults: int = Field(description="Number of vaults.", examples=[5])
    notes: int = Field(description="Number of published notes.", examples=[1200])
    chunks: int = Field(description="Number of published passages.", examples=[4800])
    bytes: int = Field(description="Size of the database on disk.", examples=[52_428_800])


class HubMigrated(Document):
    """The tables after a migration."""

    before: str | None = Field(
        description="Version before; null: there were no tables.", examples=["0001"]
    )
    version: str = Field(description="Version now.", examples=["0001"])


class HubChanged(Document):
    """What was changed on the hub."""

    done: str = Field(description="What was done, in words.", examples=["person ada created"])


class HubDump(Document):
    """A copy of the hub's database."""

    file: str = Field(description="Path of the file.", examples=["/backups/hub.dump"])
    bytes: int = Field(description="Its size.", examples=[52_428_800])


class HubToken(Document):
    """A new token of a device. The hub stores only its hash: it cannot be shown again."""

    token: str = Field(description="The token, 256 random bits.", examples=["b0x" * 14 + "b"])


class HubBudgetRequest(Request):
    """The most that workers may spend in a night, from noon to noon; 0: no limit."""

    requests: int = Field(
        default=0,
        ge=0,
        le=10**12,
        description="Requests to sources and models.",
        examples=[500],
    )
    tokens: int = Field(
        default=0, ge=0, le=10**12, description="Tokens of models.", examples=[1_000_000]
    )
    usd: float = Field(default=0.0, ge=0, le=1e6, description="US dollars.", examples=[5.0])
    share: int = Field(
        default=100, ge=1, le=100, description="Per cent of it for one person.", examples=[20]
    )


def migrate(place: Place) -> HubMigrated:
    """Create the tables or bring them up to date; twice is once. Raises HubError."""
    with _database(place) as database:
        before, version = database.migrate()
    return HubMigrated(before=before, version=version)


def back_up(place: Place, file: Path) -> HubDump:
    """Copy the database into a new file while the hub runs. Raises HubError."""
    with _database(place) as database:
        return HubDump(file=str(file), bytes=dump(database, file))


def restore(place: Place, file: Path) -> HubMigrated:
    """Restore a copy into an empty database, and bring its tables up to date. Raises HubError."""
    with _database(place) as database:
        before = restore_dump(database, file)
        _, version = database.migrate()
    return HubMigrated(before=before, version=version)


def state(place: Place) -> HubState:
    """Return what the hub has. Raises HubError."""
    with _database(place) as database:
        version = database.version()
        with database.begin() as connection:
            size = connection.execute(text("SELECT pg_database_size(current_database())"))
            counts = [
                connection.scalar(select(func.count()).select_from(table)) if version else 0
                for table in (people, vaults, notes, chunks)
            ]
            found = dict(zip(("people", "vaults", "notes", "chunks"), counts, strict=True))
            return HubState.model_validate(found | {"version": version, "bytes": size.scalar_one()})


def add_person(place: Place, name: str, email: str | None = None) -> HubChanged:
    """Create an account without rights; with an email address, for single sign-on. Raises
    HubError.
    """
    with _people(place) as accounts:
        accounts.add(name, email)
    return HubChanged(done=f"person {name} created")


def disable_person(place: Place, name: str) -> HubChanged:
    """Refuse somebody from now on. Raises HubError."""
    with _people(place) as accounts:
        accounts.disable(name)
    return HubChanged(done=f"person {name} disabled")


def delete_person(place: Place, name: str) -> HubChanged:
    """Delete an account with the vaults it owns. Raises HubError."""
    with _people(place) as accounts:
        accounts.delete(name)
    return HubChanged(done=f"person {name} deleted")


def add_group(place: Place, name: str, members: tuple[str, ...]) -> HubChanged:
    """Create a group with members. Raises HubError; then there is none."""
    with _people(place) as accounts:
        accounts.add_group(name)
        for member in members:
            accounts.join(member, name)
    return HubChanged(done=f"group {name} created")


def invite(place: Place, request: InviteRequest, now: datetime) -> HubInvitations:
    """Create a group of people with a vault and a token each. Raises HubError; then nothing is
    there.
    """
    made, valid = [], timedelta(days=request.days)
    group = Grantee(request.group, is_group=True)
    with _people(place) as accounts:
        accounts.add_group(request.group)
        for name in request.people:
            vault = f"{name}'s notes"
            accounts.add(name)
            accounts.join(name, request.group)
            accounts.add_vault(vault, name)
            accounts.grant(vault, group, request.role)
            token = accounts.new_token(name, "first", now, valid)
            made.append(HubInvitation(person=name, vault=vault, token=token))
    return HubInvitations(tuple(made))


def add_vault(place: Place, name: str, owner: str) -> HubChanged:
    """Create a vault that only its owner can read. Raises HubError."""
    with _people(place) as accounts:
        accounts.add_vault(name, owner)
    return HubChanged(done=f"vault {name} created")


def delete_vault(place: Place, name: str) -> HubChanged:
    """Delete a vault with all that it published. Raises HubError."""
    with _people(place) as accounts:
        accounts.delete_vault(name)
    return HubChanged(done=f"vault {name} deleted")


def grant(place: Place, request: GrantRequest) -> HubChanged:
    """Let a person or a group use a vault, or one folder of it. Raises HubError."""
    vault, folder = request.vault, request.folder
    with _people(place) as accounts:
        accounts.grant(vault, _grantee(request), request.role, folder)
    where = f"the folder {folder} of {vault}" if folder else vault
    return HubChanged(done=f"{request.name} is {request.role} of {where}")


def revoke(place: Place, request: RevokeRequest) -> HubChanged:
    """Revoke all access of a person or a group to a vault. Raises HubError."""
    with _people(place) as accounts:
        accounts.revoke(request.vault, _grantee(request))
    return HubChanged(done=f"{request.name} has no rights in {request.vault}")


def _grantee(request: RevokeRequest) -> Grantee:
    return Grantee(request.name, is_group=request.is_group)


def new_token(place: Place, person: str, device: str, days: int, now: datetime) -> HubToken:
    """Create a token for a device. Raises HubError."""
    with _people(place) as accounts:
        return HubToken(token=accounts.new_token(person, device, now, timedelta(days=days)))


def revoke_tokens(place: Place, person: str, device: str) -> HubChanged:
    """Refuse the tokens of a device from now on. Raises HubError."""
    with _people(place) as accounts:
        number = accounts.revoke_tokens(person, device)
    return HubChanged(done=f"{number} revoked")


def hub_service(place: Place, now: Callable[[], datetime]) -> HubService:
    """Return what answers people's requests; close it in the end. Raises HubError."""
    settings = settings_of(place)
    provider = identity_provider(settings, settings_file(place).parent, now)
    database = _current(place)
    sign_in = SignIn(database, provider, admission(settings), now)
    return HubService(database, Jobs(database), now, sign_in)


def run_worker(
    place: Place, queues: tuple[str, ...], on_begin: Callable[[], None], *, until_done: bool
) -> None:
    """Carry out jobs of some queues, or of all, until it is stopped. Raises HubError."""
    if unknown := set(queues) - set(QUEUES):
        raise HubError(f"there is no queue {min(unknown)}: there are {', '.join(QUEUES)}")
    settings, database = settings_of(place), _current(place)
    with (
        closing(database),
        open_models(settings) as (embedder, _),
        page_reader(settings) as fetch,
        services_of(settings, place.config, database) as services,
    ):
        on_begin()
        queues = queues or QUEUES
        tools = Tools(embedder, fetch, services)
        if EMBED in queues:  # otherwise no model is loaded
            tools = replace(tools, texts=texts_compared)
        asyncio.run(work(database, tools, queues, until_done=until_done))


def jobs(place: Place) -> HubJobs:
    """Return what is to be done and was done, and what failed. Raises HubError."""
    with closing(_current(place)) as database, closing(Jobs(database)) as found:
        return work_of(database, found)


def night_budget(place: Place, asked: HubBudgetRequest | None) -> HubBudget:
    """Return the budget of a night; replace it if one is given. Raises HubError."""
    with closing(_current(place)) as database:
        if asked is None:
            return change_budget(database, None)
        values = asked.model_dump(exclude={"usd"})
        return change_budget(database, NightBudget(money=round(asked.usd * MICROS), **values))


def retry_job(place: Place, job: int, now: datetime) -> HubChanged:
    """Retry a job that failed for good. Raises HubError."""
    with closing(_current(place)) as database, closing(Jobs(database)) as found:
        found.retry(job, now)
    return HubChanged(done=f"job {job} is tried again")


@contextmanager
def current_hub(place: Place) -> Iterator[Connection]:
    """Begin a transaction in the hub's database. Raises HubError."""
    with closing(_current(place)) as database, database.begin() as connection:
        yield connection


def _current(place: Place) -> Database:
    """Return the hub's database with the tables of this version. Raises HubError."""
    database = Database(_url(settings_of(place).hub.database))
    try:
        database.require_current()
    except HubError:
        database.close()
        raise
    return database


@contextmanager
def _people(place: Place) -> Iterator[People]:
    with _database(place) as database, database.begin() as connection:
        yield People(connection, OPERATOR)


@contextmanager
def _database(place: Place) -> Iterator[Database]:
    database = Database(_url(settings_of(place).hub.database))
    try:
        yield database
    finally:
        database.close()


def _url(url: str) -> str:
    if not url:
        raise HubError(
            "this machine runs no hub: `lacuna config set hub.database postgresql://host/name`"
        )
    return url
