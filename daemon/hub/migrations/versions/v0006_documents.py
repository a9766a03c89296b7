"""Web documents that workers fetch for vaults, who asked for them, and the pace of each site."""

from alembic import op

revision = "0006"
down_revision = "0005"

_TABLES = """
CREATE TABLE documents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key bytea NOT NULL UNIQUE,
  url text NOT NULL,
  host text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
  asked_at timestamptz NOT NULL DEFAULT now(),
  fetched_at timestamptz,
  document bytea,
  trouble text NOT NULL DEFAULT ''
);
CREATE INDEX documents_waiting ON documents (asked_at) WHERE state = 'waiting';
CREATE INDEX documents_host ON documents (host);
CREATE TABLE document_readers (
  document_id bigint NOT NULL REFERENCES documents ON DELETE CASCADE,
  person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
  asked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (document_id, person_id)
);
CREATE INDEX document_readers_person ON document_readers (person_id);
CREATE TABLE hosts (
  host text PRIMARY KEY,
  due_at timestamptz NOT NULL DEFAULT now()
);
"""

_RIGHTS = """
GRANT SELECT ON documents, document_readers TO lacuna_person;
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE document_readers ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON document_readers FOR SELECT TO lacuna_person
  USING (person_id = nullif(current_setting('lacuna.person', true), '')::bigint);
CREATE POLICY readable ON documents FOR SELECT TO lacuna_person
  USING (id IN (SELECT document_id FROM document_readers));

-- A document that nobody wants any more is deleted: with a person goes what only they asked for.
CREATE FUNCTION forget_documents() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM documents d USING gone g WHERE d.id = g.document_id
    AND NOT EXISTS (SELECT FROM document_readers r WHERE r.document_id = d.id);
  DELETE FROM hosts h WHERE NOT EXISTS (SELECT FROM documents d WHERE d.host = h.host);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_documents AFTER DELETE ON document_readers
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_documents();
"""


def upgrade() -> None:
    """Add three tables, their rights, and a trigger."""
    op.execute(_TABLES)
    op.execute(_RIGHTS)
