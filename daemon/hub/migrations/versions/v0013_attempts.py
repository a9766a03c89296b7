"""Attempts at what waits, offers apart from places, and spending that refers to nothing.

A row of `spending` is written while a transaction holds the request: with a foreign key, it would
wait for a deletion of the vault, which waits for the request.
"""

from alembic import op

revision = "0013"
down_revision = "0012"

_TABLES = """
CREATE TABLE attempts (
  queue text NOT NULL,
  id bigint NOT NULL,
  number integer NOT NULL,
  PRIMARY KEY (queue, id)
);
CREATE TABLE offers (
  queue text NOT NULL,
  name text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (queue, name)
);
ALTER TABLE services DROP COLUMN seen_at;
DELETE FROM spending WHERE least(requests, bytes, tokens, money) < 0;
ALTER TABLE spending
  DROP CONSTRAINT spending_vault_id_fkey,
  DROP CONSTRAINT spending_request_id_fkey,
  ADD CONSTRAINT spending_amounts CHECK (least(requests, bytes, tokens, money) >= 0);
"""

_FORGET = """
CREATE FUNCTION forget_spender() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE spending SET vault_id = NULL, request_id = NULL WHERE vault_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_spender AFTER DELETE ON vaults
  FOR EACH ROW EXECUTE FUNCTION forget_spender();
"""


def upgrade() -> None:
    """Add two tables and a trigger, and drop two foreign keys."""
    op.execute(_TABLES)
    op.execute(_FORGET)
