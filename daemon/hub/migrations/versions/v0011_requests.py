"""What workers ask of sources and models for vaults, and what that costs."""

from alembic import op

revision = "0011"
down_revision = "0010"

_TABLES = """
CREATE TABLE services (
  queue text NOT NULL,
  name text NOT NULL,
  place integer NOT NULL,
  due_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (queue, name, place)
);
CREATE TABLE requests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key bytea NOT NULL UNIQUE,
  queue text NOT NULL,
  service text NOT NULL,
  vault_id bigint REFERENCES vaults ON DELETE SET NULL,
  question bytea NOT NULL,
  state text NOT NULL CONSTRAINT requests_state
    CHECK (state IN ('waiting', 'done', 'failed', 'refused')),
  asked_at timestamptz NOT NULL DEFAULT now(),
  answered_at timestamptz,
  answer bytea,
  trouble text NOT NULL DEFAULT ''
);
CREATE INDEX requests_waiting ON requests (queue, asked_at) WHERE state = 'waiting';
CREATE INDEX requests_vault ON requests (vault_id);
CREATE TABLE request_readers (
  request_id bigint NOT NULL REFERENCES requests ON DELETE CASCADE,
  vault_id bigint NOT NULL REFERENCES vaults ON DELETE CASCADE,
  asked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (request_id, vault_id)
);
CREATE INDEX request_readers_vault ON request_readers (vault_id);
CREATE TABLE spending (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  queue text NOT NULL,
  service text NOT NULL,
  request_id bigint REFERENCES requests ON DELETE SET NULL,
  vault_id bigint REFERENCES vaults ON DELETE SET NULL,
  requests bigint NOT NULL,
  bytes bigint NOT NULL,
  tokens bigint NOT NULL,
  money bigint NOT NULL,
  is_settled boolean NOT NULL DEFAULT false
);
CREATE INDEX spending_at ON spending (at);
CREATE INDEX spending_request ON spending (request_id);
CREATE INDEX spending_vault ON spending (vault_id, at);
"""

_RIGHTS = """
GRANT SELECT ON requests, request_readers TO lacuna_person;
ALTER TABLE requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_readers ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON request_readers FOR SELECT TO lacuna_person
  USING (vault_id IN (SELECT vault_id FROM granted() WHERE role = 'owner' AND folder = ''));
CREATE POLICY readable ON requests FOR SELECT TO lacuna_person
  USING (id IN (SELECT request_id FROM request_readers));

-- A request that nobody wants any more is deleted: with a vault goes what only it asked.
CREATE FUNCTION forget_requests() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM requests q USING gone g WHERE q.id = g.request_id
    AND NOT EXISTS (SELECT FROM request_readers r WHERE r.request_id = q.id);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_requests AFTER DELETE ON request_readers
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_requests();
"""


def upgrade() -> None:
    """Add four tables, their rights, and a trigger."""
    op.execute(_TABLES)
    op.execute(_RIGHTS)
