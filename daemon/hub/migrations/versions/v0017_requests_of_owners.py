"""Requests are read by the owner of a vault alone, and shared by vaults that may read each other.

`alike` is the same for the same question; requests that are kept apart have none.
"""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Replace a policy, and add a column: what waits or is kept is shared no more."""
    op.execute("DROP POLICY readable ON request_readers")
    op.execute("""
        CREATE POLICY readable ON request_readers FOR SELECT TO lacuna_person USING (
          vault_id IN (
            SELECT v.id FROM vaults v
            WHERE v.owner_id = nullif(current_setting('lacuna.person', true), '')::bigint))
    """)
    op.execute("ALTER TABLE requests ADD COLUMN alike bytea")
    op.execute("CREATE INDEX requests_alike ON requests (alike)")
