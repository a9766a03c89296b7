"""API keys of people and groups, sealed."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add a table that only the hub itself reads."""
    op.execute("""
        CREATE TABLE person_keys (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          person_id bigint REFERENCES people ON DELETE CASCADE,
          group_id bigint REFERENCES groups ON DELETE CASCADE,
          name text NOT NULL,
          sealed bytea NOT NULL,
          CONSTRAINT person_keys_of_one CHECK (num_nonnulls(person_id, group_id) = 1),
          CONSTRAINT person_keys_once UNIQUE NULLS NOT DISTINCT (person_id, group_id, name)
        )
    """)
