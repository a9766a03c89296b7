"""Embeddings of what vaults compare of a document, made once for all of them."""

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add a column: those that are there already are embedded by the vaults."""
    op.execute("ALTER TABLE documents ADD COLUMN embeddings bytea")
