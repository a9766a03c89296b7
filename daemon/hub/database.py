"""The connection to the hub's database: migrations, and transactions on behalf of a person."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from daemon.model.errors import HubError, HubVersionError

PERSON = "lacuna.person"  # the setting of a transaction that says on whose behalf it reads
_DRIVER = "postgresql+psycopg"
_OLDEST = 15_00_00  # server_version_num
_WITH_SET = 16_00_00  # from which a role is granted with or without SET ROLE
# Read for each query. With pgvector's own 40, one of four nearest in a million passages is missed.
_CANDIDATES = 400
_SCANNED = 100_000  # passages that are looked at until enough of them are readable
# Both ends notice a partition within half a minute: what a lost worker has locked is then free.
_SERVER = {
    "tcp_keepalives_idle": 15,
    "tcp_keepalives_interval": 5,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # ms
    # A process that is stopped in the middle does not keep what it has locked.
    "idle_in_transaction_session_timeout": 120_000,  # ms
}
CONNECTED: Mapping[str, str | int] = {
    "connect_timeout": 10,  # s
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "options": " ".join(f"-c {name}={value}" for name, value in _SERVER.items()),
}
"""Arguments of each connection."""
# Publishing counts a vault's revision, and workers count what they embedded, by the hour.
_STATE = text("""
SELECT md5(concat(date_trunc('hour', now()), string_agg(
  concat_ws('/', g.vault_id, g.role, v.revision, coalesce(w.done, 0), g.folder), E'\n'
  ORDER BY g.vault_id, g.role, g.folder)))
FROM granted() g JOIN vaults v ON v.id = g.vault_id
LEFT JOIN LATERAL (
  SELECT sum(chunks) AS done FROM work_done
  WHERE vault_id = v.id AND hour >= date_trunc('hour', now()) - interval '1 hour'
) w ON true
""")
# One of somebody who may do anything as `lacuna_person` could stand for a table of the hub.
_NO_TEMPORARY_TABLES = text("""
DO $$ BEGIN
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$
""")
_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 7431  # of migrations, which wait for jobs, and jobs for them
MIGRATING = text(f"SELECT pg_advisory_xact_lock({_LOCK})")
_WORKING = text(f"SELECT pg_advisory_xact_lock_shared({_LOCK})")


class Database:
    """A hub's database. Errors of the server are raised as HubError."""

    def __init__(self, url: str) -> None:
        """`url` begins with `postgresql://`. Nothing is connected yet."""
        try:
            parsed = make_url(url)
        except ArgumentError:
            raise HubError("the database must be a URL such as postgresql://host/name") from None
        if parsed.get_backend_name() != "postgresql":
            raise HubError("the database must be PostgreSQL: postgresql://host/name")
        self.url = url
        self._engine: Engine = create_engine(
            parsed.set(drivername=_DRIVER), pool_pre_ping=True, connect_args=dict(CONNECTED)
        )

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def migrate(self) -> tuple[str | None, str]:
        """Bring the tables to the current version; return (version before, version now)."""
        with self.begin() as connection:
            # Two hosts that start at the same time migrate one after the other. Jobs end first:
            # a change of a table would wait for their locks, and every reader for the change.
            connection.execute(MIGRATING)
            _check_server(connection)
            before = _version(connection)
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            _let_become_person(connection)
            connection.execute(_NO_TEMPORARY_TABLES)
            return before, _head()

    def version(self) -> str | None:
        """Return the version of the tables; None before the first migration."""
        with self.begin() as connection:
            return _version(connection)

    def require_current(self) -> None:
        """Raise HubVersionError if the tables are not those of this version."""
        with self.begin() as connection:
            _require_current(connection)

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Begin a transaction as the hub itself, which sees everything."""
        with _as_hub_error(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def as_person(self, person: int) -> Iterator[Connection]:
        """Begin a transaction in which row-level security shows only what a person may read."""
        with self.begin() as connection:
            _name_person(connection, person)
            _become_person(connection)
            yield connection

    @contextmanager
    def snapshot(self, person: int) -> Iterator[tuple[Connection, str]]:
        """Begin the same, of one moment, with a hash of all that the person's answers depend on:
        their rights, and what the vaults have that they may read.
        """
        with self.begin() as connection:
            connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
            _name_person(connection, person)
            state: str = connection.execute(_STATE).scalar_one()
            _become_person(connection)
            yield connection, state

    @contextmanager
    def acting(self, connection: Connection, person: int) -> Iterator[None]:
        """Do the same within a transaction of the hub itself."""
        _name_person(connection, person)
        _become_person(connection)
        yield
        connection.execute(text("RESET ROLE"))


def begin_job(connection: Connection) -> None:
    """Let no migration begin until the end of this transaction.

    Raises HubVersionError if the tables are not those of this version.
    """
    connection.execute(_WORKING)
    _require_current(connection)


def _require_current(connection: Connection) -> None:
    found, ours = _version(connection), _head()
    if found == ours:
        return
    if found is not None and found > ours:
        raise HubVersionError(
            f"the hub's tables are of version {found}, newer than this one ({ours}): install the"
            " hub's version of Lacuna here"
        )
    raise HubVersionError(
        f"the hub's tables are of version {found or 'none'}, this one needs {ours}:"
        " `lacuna hub migrate`"
    )


def _name_person(connection: Connection, person: int) -> None:
    name = text("SELECT set_config(:name, :person, true)")
    connection.execute(name, {"name": PERSON, "person": str(person)})


def _become_person(connection: Connection) -> None:
    connection.execute(text("SET LOCAL ROLE lacuna_person"))
    # More candidates are read until enough of them are readable.
    connection.execute(text("SET LOCAL hnsw.iterative_scan = strict_order"))
    connection.execute(text(f"SET LOCAL hnsw.ef_search = {_CANDIDATES}"))
    connection.execute(text(f"SET LOCAL hnsw.max_scan_tuples = {_SCANNED}"))


def _check_server(connection: Connection) -> None:
    number = int(connection.execute(text("SHOW server_version_num")).scalar_one())
    if number < _OLDEST:
        raise HubError(f"PostgreSQL 15 or newer is needed; this is {number // 10_000}")
    found = connection.execute(
        text("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")
    ).first()
    if found is None:
        raise HubError("the extension pgvector is not installed on the database server")


def _let_become_person(connection: Connection) -> None:
    """Let the hub's own user act in the role of people, which another user may have created.

    From PostgreSQL 16 on, who creates a role may grant it, but not use it. Raises HubError.
    """
    version = int(connection.execute(text("SHOW server_version_num")).scalar_one())
    right, option = ("SET", "WITH SET TRUE") if version >= _WITH_SET else ("MEMBER", "")
    may = text(f"SELECT pg_has_role('lacuna_person', '{right}')")
    if connection.execute(may).scalar_one():
        return
    try:
        with connection.begin_nested():
            connection.execute(text(f"GRANT lacuna_person TO CURRENT_USER {option}"))
    except DBAPIError:
        user = connection.execute(text("SELECT current_user")).scalar_one()
        raise HubError(
            "the role lacuna_person belongs to another user of the database server; as a superuser:"
            f" GRANT lacuna_person TO {user} {option}".rstrip()
        ) from None


def _version(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@cache
def _head() -> str:
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise HubError("this installation lacks the hub's migrations: install Lacuna again")
    return head


@contextmanager
def _as_hub_error() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        line = str(error.orig).strip().partition("\n")[0]
        raise HubError(f"the database refused: {line}") from error
    except SQLAlchemyError as error:
        raise HubError(f"the database failed: {type(error).__name__}") from error
