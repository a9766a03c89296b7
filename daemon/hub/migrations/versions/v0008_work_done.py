"""How much the workers did for each vault, by the hour."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add a table of counts."""
    op.execute("""
        CREATE TABLE work_done (
          vault_id bigint REFERENCES vaults ON DELETE CASCADE,
          hour timestamptz,
          chunks bigint NOT NULL,
          PRIMARY KEY (vault_id, hour)
        )
    """)
