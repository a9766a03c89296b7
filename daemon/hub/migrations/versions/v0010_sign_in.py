"""Who somebody is for a provider of single sign-on, and logins in progress."""

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add two columns and two tables."""
    op.execute("""
        ALTER TABLE people ADD COLUMN email text UNIQUE;
        ALTER TABLE tokens ADD COLUMN signed_in boolean NOT NULL DEFAULT false;
        CREATE TABLE identities (
          issuer text,
          subject text,
          person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
          PRIMARY KEY (issuer, subject),
          CONSTRAINT identities_once UNIQUE (person_id, issuer)
        );
        CREATE TABLE logins (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          state bytea UNIQUE,
          code bytea UNIQUE,
          person_id bigint REFERENCES people ON DELETE CASCADE,
          device text NOT NULL,
          challenge text NOT NULL,
          port integer NOT NULL,
          nonce text NOT NULL,
          verifier text NOT NULL,
          begun_at timestamptz NOT NULL DEFAULT now()
        );
    """)
