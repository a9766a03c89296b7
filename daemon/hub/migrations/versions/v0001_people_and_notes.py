"""People, rights, published notes, and the audit log.

`lacuna_person` is the role in which everything is read on behalf of a person: row-level security
shows it only what `lacuna.person`, a setting of the transaction, may read. It is the second lock;
the first is in the queries.
"""

from alembic import op

revision = "0001"
down_revision = None

_TABLES = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE people (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  disabled_at timestamptz
);
CREATE TABLE groups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);
CREATE TABLE members (
  group_id bigint NOT NULL REFERENCES groups ON DELETE CASCADE,
  person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
  PRIMARY KEY (group_id, person_id)
);
CREATE TABLE tokens (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
  device text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE TABLE vaults (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  owner_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE grants (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  vault_id bigint NOT NULL REFERENCES vaults ON DELETE CASCADE,
  person_id bigint REFERENCES people ON DELETE CASCADE,
  group_id bigint REFERENCES groups ON DELETE CASCADE,
  role text NOT NULL CONSTRAINT grants_role CHECK (role in ('reader', 'reviewer', 'owner')),
  folder text NOT NULL DEFAULT '',
  CONSTRAINT grants_to_one CHECK (num_nonnulls(person_id, group_id) = 1),
  CONSTRAINT grants_once UNIQUE NULLS NOT DISTINCT (vault_id, person_id, group_id, folder)
);
CREATE TABLE notes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  vault_id bigint NOT NULL REFERENCES vaults ON DELETE CASCADE,
  path text NOT NULL,
  name text,
  hash text NOT NULL,
  published_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT notes_path UNIQUE (vault_id, path)
);
CREATE TABLE chunks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  note_id bigint NOT NULL REFERENCES notes ON DELETE CASCADE,
  vault_id bigint NOT NULL REFERENCES vaults ON DELETE CASCADE,
  path text NOT NULL,
  place integer NOT NULL,
  heading text NOT NULL DEFAULT '',
  text text,
  embedding halfvec(384),
  words tsvector GENERATED ALWAYS AS (to_tsvector('simple', coalesce(text, ''))) STORED
);
CREATE INDEX chunks_note ON chunks (note_id);
CREATE INDEX chunks_vault ON chunks (vault_id, path);
CREATE INDEX chunks_words ON chunks USING gin (words);
CREATE INDEX chunks_embedding ON chunks USING hnsw (embedding halfvec_cosine_ops);
CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  person text NOT NULL,
  action text NOT NULL,
  object text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_at ON audit (at);
"""

_RIGHTS = """
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lacuna_person') THEN
    CREATE ROLE lacuna_person NOLOGIN NOBYPASSRLS;
  END IF;
END $$;

-- Without a person, or with one that is disabled, there are no rows.
CREATE FUNCTION granted() RETURNS TABLE (vault_id bigint, folder text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH me AS (
    SELECT id FROM people
    WHERE id = nullif(current_setting('lacuna.person', true), '')::bigint AND disabled_at IS NULL
  )
  SELECT g.vault_id, g.folder, g.role FROM grants g JOIN me ON g.person_id = me.id
  UNION
  SELECT g.vault_id, g.folder, g.role
  FROM grants g JOIN members m ON m.group_id = g.group_id JOIN me ON m.person_id = me.id
  UNION
  SELECT v.id, '', 'owner' FROM vaults v JOIN me ON v.owner_id = me.id
$$;

CREATE FUNCTION is_readable(of_vault bigint, of_path text) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT FROM granted() g
    WHERE g.vault_id = of_vault AND (g.folder = '' OR starts_with(of_path, g.folder || '/'))
  )
$$;

CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is only appended to';
END $$;
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();

REVOKE ALL ON FUNCTION granted(), is_readable(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION granted(), is_readable(bigint, text) TO lacuna_person;
GRANT SELECT ON vaults, notes, chunks TO lacuna_person;

ALTER TABLE vaults ENABLE ROW LEVEL SECURITY;
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
-- Both lists are read once for a query. `is_readable` is called only for rows of vaults of which
-- somebody may read a folder: a call takes longer than a whole search.
CREATE POLICY readable ON vaults FOR SELECT TO lacuna_person
  USING (id IN (SELECT vault_id FROM granted()));
CREATE POLICY readable ON notes FOR SELECT TO lacuna_person USING (
  vault_id IN (SELECT vault_id FROM granted() WHERE folder = '')
  OR (vault_id IN (SELECT vault_id FROM granted()) AND is_readable(vault_id, path)));
CREATE POLICY readable ON chunks FOR SELECT TO lacuna_person USING (
  vault_id IN (SELECT vault_id FROM granted() WHERE folder = '')
  OR (vault_id IN (SELECT vault_id FROM granted()) AND is_readable(vault_id, path)));
"""


def upgrade() -> None:
    """Create everything."""
    op.execute(_TABLES)
    op.execute(_RIGHTS)
