"""Where a login was begun, which the page says that asks whether it is somebody's own."""

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add a column; logins in progress are begun again."""
    op.execute("DELETE FROM logins")
    op.execute("ALTER TABLE logins ADD COLUMN address text NOT NULL")
