"""A refusal belongs to the vault that asked, and functions with more rights read no other tables.

`pg_temp` is searched first where a path does not name it: a temporary table could stand for one
of the hub's.
"""

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add a column, and end the path of functions that run as their owner with `pg_temp`."""
    op.execute("ALTER TABLE request_readers ADD COLUMN refused text NOT NULL DEFAULT ''")
    op.execute("""
        DO $$
        DECLARE one regprocedure;
        BEGIN
          FOR one IN SELECT oid FROM pg_proc WHERE prosecdef
            AND pronamespace = current_schema()::regnamespace
            AND proname IN ('granted', 'owner_name', 'reviewer_name')
          LOOP
            EXECUTE format(
              'ALTER FUNCTION %s SET search_path = %I, pg_temp', one, current_schema());
          END LOOP;
        END $$
    """)
