"""Jobs, which Procrastinate keeps, and what the hub knows of itself."""

from alembic import op

from daemon.hub.worker_jobs import schema

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add two tables, an index, and those of Procrastinate."""
    op.execute("CREATE TABLE facts (key text PRIMARY KEY, value text NOT NULL)")
    op.execute("""
        CREATE INDEX chunks_waiting ON chunks (vault_id, id)
        WHERE embedding IS NULL AND text IS NOT NULL
    """)
    op.get_bind().exec_driver_sql(schema().replace("%", "%%"))
