"""Names of notes that published notes link to and that do not exist."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add a table that is read as `chunks` is."""
    op.execute("""
        CREATE TABLE wanted (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          note_id bigint NOT NULL REFERENCES notes ON DELETE CASCADE,
          vault_id bigint NOT NULL REFERENCES vaults ON DELETE CASCADE,
          path text NOT NULL,
          name text NOT NULL
        );
        CREATE INDEX wanted_note ON wanted (note_id);
        GRANT SELECT ON wanted TO lacuna_person;
        ALTER TABLE wanted ENABLE ROW LEVEL SECURITY;
        CREATE POLICY readable ON wanted FOR SELECT TO lacuna_person USING (
          vault_id IN (SELECT vault_id FROM granted() WHERE folder = '')
          OR (vault_id IN (SELECT vault_id FROM granted()) AND is_readable(vault_id, path)));
    """)
