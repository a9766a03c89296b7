"""When somebody asked during the last minute."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add a column."""
    op.execute("ALTER TABLE rates ADD COLUMN recent timestamptz[] NOT NULL DEFAULT '{}'")
