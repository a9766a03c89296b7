"""For which of somebody's vaults a document is: it goes with that vault."""

from alembic import op

revision = "0019"
down_revision = "0018"

_VAULT = """
ALTER TABLE document_readers
  ADD COLUMN vault_id bigint REFERENCES vaults ON DELETE CASCADE,
  DROP CONSTRAINT document_readers_pkey;
CREATE UNIQUE INDEX document_readers_key ON document_readers (document_id, person_id, vault_id)
  NULLS NOT DISTINCT;
CREATE INDEX document_readers_vault ON document_readers (vault_id);
"""


def upgrade() -> None:
    """Add a column. Documents of before are of no vault: they go with the last one."""
    op.execute(_VAULT)
