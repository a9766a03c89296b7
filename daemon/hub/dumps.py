"""Copies of the hub's database, made and restored by PostgreSQL's own programs."""

import os
import shutil
import subprocess
from pathlib import Path

from sqlalchemy import inspect, make_url, text

from daemon.child_environment import child_environment
from daemon.hub.database import Database
from daemon.model.errors import HubError

# Roles belong to the server and are in no copy of a database.
_ROLE = text("""
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lacuna_person') THEN
    CREATE ROLE lacuna_person NOLOGIN NOBYPASSRLS;
  END IF;
END $$
""")


def dump(database: Database, file: Path) -> int:
    """Write a copy of the database at one moment, while the hub runs; return its size in bytes.

    Only its owner can read the file. Raises HubError, also if there is such a file.
    """
    if database.version() is None:
        raise HubError("there are no tables yet: `lacuna hub init`")
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise HubError(f"{file}: {(error.strerror or 'cannot be written').lower()}") from None
    try:
        _run("pg_dump", "--format=custom", "--no-owner", f"--file={file}", _dbname(database))
    except HubError:
        file.unlink(missing_ok=True)
        raise
    return file.stat().st_size


def restore(database: Database, file: Path) -> str | None:
    """Restore a copy into an empty database, as a whole or not at all; return its version.

    Raises HubError.
    """
    with database.begin() as connection:
        if inspect(connection).get_table_names():
            raise HubError("this database has tables: restore into an empty one, made by createdb")
        connection.execute(_ROLE)
    options = ("--single-transaction", "--exit-on-error", "--no-owner")
    _run("pg_restore", *options, _dbname(database), str(file))
    return database.version()


def _dbname(database: Database) -> str:
    url = make_url(database.url).set(drivername="postgresql")
    return f"--dbname={url.render_as_string(hide_password=False)}"


def _run(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs. Raises HubError with the first line that it reports."""
    found = shutil.which(program)
    if found is None:
        raise HubError(f"{program} is not installed: install PostgreSQL's client programs")
    done = subprocess.run(
        [found, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=child_environment(os.environ),
    )
    if done.returncode:
        line = next(iter(done.stderr.strip().splitlines()), "").removeprefix(f"{program}: ")
        raise HubError(f"{program} failed: {line or f'exit status {done.returncode}'}")
