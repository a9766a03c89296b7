"""Findings that vaults publish, and their delivery to vaults whose gaps they fill."""

from alembic import op

revision = "0005"
down_revision = "0004"

_TABLES = """
ALTER TABLE vaults ADD COLUMN delivered bigint NOT NULL DEFAULT 0;
CREATE TABLE findings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  note_id bigint NOT NULL CONSTRAINT findings_note UNIQUE
    REFERENCES notes ON DELETE CASCADE,
  vault_id bigint NOT NULL REFERENCES vaults ON DELETE CASCADE,
  path text NOT NULL,
  topic text NOT NULL,
  body jsonb NOT NULL,
  words tsvector NOT NULL
);
CREATE INDEX findings_words ON findings USING gin (words);
CREATE TABLE deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  finding_id bigint NOT NULL REFERENCES findings ON DELETE CASCADE,
  vault_id bigint NOT NULL REFERENCES vaults ON DELETE CASCADE,
  path text NOT NULL,
  gap text NOT NULL,
  status text NOT NULL DEFAULT 'pending'
    CONSTRAINT deliveries_status CHECK (status in ('pending', 'accepted', 'dismissed')),
  decided_by bigint REFERENCES people ON DELETE SET NULL,
  decided_at timestamptz,
  revision bigint NOT NULL,
  CONSTRAINT deliveries_once UNIQUE (finding_id, vault_id)
);
CREATE INDEX deliveries_vault ON deliveries (vault_id, revision);
"""

_RIGHTS = """
CREATE FUNCTION is_reviewable(of_vault bigint, of_path text) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT FROM granted() g
    WHERE g.vault_id = of_vault AND g.role IN ('reviewer', 'owner')
      AND (g.folder = '' OR starts_with(of_path, g.folder || '/'))
  )
$$;
-- Who decided, for those who may decide.
CREATE FUNCTION reviewer_name(of_delivery bigint) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT p.name FROM deliveries d JOIN people p ON p.id = d.decided_by
  WHERE d.id = of_delivery AND is_reviewable(d.vault_id, d.path)
$$;
REVOKE ALL ON FUNCTION is_reviewable(bigint, text), reviewer_name(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_reviewable(bigint, text), reviewer_name(bigint)
  TO lacuna_person;

GRANT SELECT ON findings, deliveries TO lacuna_person;
ALTER TABLE findings ENABLE ROW LEVEL SECURITY;
ALTER TABLE deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON findings FOR SELECT TO lacuna_person USING (
  vault_id IN (SELECT vault_id FROM granted() WHERE folder = '')
  OR (vault_id IN (SELECT vault_id FROM granted()) AND is_readable(vault_id, path)));
-- Its finding must be readable, too: the policy of `findings` holds in the subquery.
CREATE POLICY reviewable ON deliveries FOR SELECT TO lacuna_person USING (
  (vault_id IN (
    SELECT vault_id FROM granted() WHERE folder = '' AND role IN ('reviewer', 'owner'))
   OR (vault_id IN (SELECT vault_id FROM granted() WHERE role IN ('reviewer', 'owner'))
       AND is_reviewable(vault_id, path)))
  AND EXISTS (SELECT FROM findings f WHERE f.id = finding_id));
"""


def upgrade() -> None:
    """Add two tables: a finding is read as its note is, a delivery by who may decide it."""
    op.execute(_TABLES)
    op.execute(_RIGHTS)
