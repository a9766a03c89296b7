"""Revisions of vaults, how often people ask, and the name of an owner for readers of a vault."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add a column, a table and a function."""
    op.execute("ALTER TABLE vaults ADD COLUMN revision bigint NOT NULL DEFAULT 0")
    op.execute("""
        CREATE TABLE rates (
          person_id bigint PRIMARY KEY REFERENCES people ON DELETE CASCADE,
          due_at timestamptz NOT NULL
        )
    """)
    op.execute("""
        CREATE FUNCTION owner_name(of_vault bigint) RETURNS text
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
          SELECT p.name FROM vaults v JOIN people p ON p.id = v.owner_id
          WHERE v.id = of_vault AND v.id IN (SELECT vault_id FROM granted())
        $$
    """)
    op.execute("REVOKE ALL ON FUNCTION owner_name(bigint) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION owner_name(bigint) TO lacuna_person")
