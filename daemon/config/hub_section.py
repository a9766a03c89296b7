"""Settings of a hub, for the machine that runs it."""

from urllib.parse import urlsplit

from pydantic import Field, field_validator

from daemon.config.section import Section


class HubSettings(Section):
    """A hub of several vaults."""

    database: str = Field(
        default="",
        description="URL of the hub's database, such as `postgresql://host/lacuna`; empty: this"
        " machine runs no hub. The password is read from `~/.pgpass`.",
    )

    @field_validator("database")
    @classmethod
    def _has_no_password(cls, database: str) -> str:
        try:
            password = urlsplit(database).password
        except ValueError:
            raise ValueError("the database must be a URL: postgresql://host/name") from None
        if password:
            raise ValueError("put the password into ~/.pgpass, not into the settings")
        return database
