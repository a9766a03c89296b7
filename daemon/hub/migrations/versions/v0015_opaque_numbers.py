"""Numbers of deliveries that say nothing about how many there are on the hub."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Draw new numbers at random, of twelve digits at most; say when each was delivered."""
    op.execute("""
        ALTER TABLE deliveries
          ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp(),
          ALTER COLUMN id DROP IDENTITY,
          ALTER COLUMN id SET DEFAULT 1 + floor(random() * 999999999999)::bigint
    """)
