"""The tables of the hub. Migrations create them; a test compares both."""

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

from daemon.model.shared_notes import DIMENSIONS

metadata = MetaData()


def _id() -> Column[int]:
    return Column("id", BigInteger, Identity(always=True), primary_key=True)


def _when(name: str, *, nullable: bool = True) -> Column[object]:
    default = None if nullable else func.now()
    return Column(name, DateTime(timezone=True), nullable=nullable, server_default=default)


def _of(name: str, table: str, *, nullable: bool = False) -> Column[int]:
    key = ForeignKey(f"{table}.id", ondelete="CASCADE")
    return Column(name, BigInteger, key, nullable=nullable)


people = Table(
    "people",
    metadata,
    _id(),
    Column("name", Text, nullable=False, unique=True),
    _when("created_at", nullable=False),
    _when("disabled_at"),
    Column("email", Text, unique=True),
)
groups = Table("groups", metadata, _id(), Column("name", Text, nullable=False, unique=True))
members = Table(
    "members",
    metadata,
    Column("group_id", BigInteger, ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True),
    Column("person_id", BigInteger, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
)
tokens = Table(
    "tokens",
    metadata,
    _id(),
    _of("person_id", "people"),
    Column("device", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False, unique=True),
    _when("created_at", nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    _when("revoked_at"),
    Column("signed_in", Boolean, nullable=False, server_default="false"),
)
identities = Table(
    "identities",
    metadata,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    _of("person_id", "people"),
    UniqueConstraint("person_id", "issuer", name="identities_once"),
)
person_keys = Table(
    "person_keys",
    metadata,
    _id(),
    _of("person_id", "people", nullable=True),
    _of("group_id", "groups", nullable=True),
    Column("name", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    CheckConstraint("num_nonnulls(person_id, group_id) = 1", name="person_keys_of_one"),
    UniqueConstraint(
        *("person_id", "group_id", "name"),
        name="person_keys_once",
        postgresql_nulls_not_distinct=True,
    ),
)
logins = Table(
    "logins",
    metadata,
    _id(),
    Column("state", LargeBinary, unique=True),
    Column("code", LargeBinary, unique=True),
    _of("person_id", "people", nullable=True),
    Column("device", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("challenge", Text, nullable=False),
    Column("port", Integer, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("verifier", Text, nullable=False),
    _when("begun_at", nullable=False),
)
vaults = Table(
    "vaults",
    metadata,
    _id(),
    Column("name", Text, nullable=False, unique=True),
    _of("owner_id", "people"),
    _when("created_at", nullable=False),
    Column("revision", BigInteger, nullable=False, server_default="0"),
    Column("delivered", BigInteger, nullable=False, server_default="0"),
)
grants = Table(
    "grants",
    metadata,
    _id(),
    _of("vault_id", "vaults"),
    _of("person_id", "people", nullable=True),
    _of("group_id", "groups", nullable=True),
    Column("role", Text, nullable=False),
    Column("folder", Text, nullable=False, server_default=""),
    CheckConstraint("role in ('reader', 'reviewer', 'owner')", name="grants_role"),
    CheckConstraint("num_nonnulls(person_id, group_id) = 1", name="grants_to_one"),
    UniqueConstraint(
        *("vault_id", "person_id", "group_id", "folder"),
        name="grants_once",
        postgresql_nulls_not_distinct=True,
    ),
)
notes = Table(
    "notes",
    metadata,
    _id(),
    _of("vault_id", "vaults"),
    Column("path", Text, nullable=False),
    Column("name", Text),
    Column("hash", Text, nullable=False),
    _when("published_at", nullable=False),
    UniqueConstraint("vault_id", "path", name="notes_path"),
)
chunks = Table(
    "chunks",
    metadata,
    _id(),
    _of("note_id", "notes"),
    _of("vault_id", "vaults"),
    Column("path", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("heading", Text, nullable=False, server_default=""),
    Column("text", Text),
    Column("embedding", HALFVEC(DIMENSIONS)),
    Column("words", TSVECTOR, Computed("to_tsvector('simple', coalesce(text, ''))")),
    Index("chunks_note", "note_id"),
    Index("chunks_vault", "vault_id", "path"),
    Index(
        *("chunks_waiting", "vault_id", "id"),
        postgresql_where=text("embedding IS NULL AND text IS NOT NULL"),
    ),
    Index("chunks_words", "words", postgresql_using="gin"),
    Index(
        "chunks_embedding",
        "embedding",
        postgresql_using="hnsw",
        postgresql_ops={"embedding": "halfvec_cosine_ops"},
        postgresql_with={"ef_construction": 128},
    ),
)
wanted = Table(
    "wanted",
    metadata,
    _id(),
    _of("note_id", "notes"),
    _of("vault_id", "vaults"),
    Column("path", Text, nullable=False),
    Column("name", Text, nullable=False),
    Index("wanted_note", "note_id"),
)
findings = Table(
    "findings",
    metadata,
    _id(),
    _of("note_id", "notes"),
    _of("vault_id", "vaults"),
    Column("path", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("body", JSONB, nullable=False),
    Column("words", TSVECTOR, nullable=False),
    UniqueConstraint("note_id", name="findings_note"),
    Index("findings_words", "words", postgresql_using="gin"),
)
_AT_RANDOM = text("1 + floor(random() * 999999999999)::bigint")
deliveries = Table(
    "deliveries",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False, server_default=_AT_RANDOM),
    _of("finding_id", "findings"),
    _of("vault_id", "vaults"),
    Column("path", Text, nullable=False),
    Column("gap", Text, nullable=False),
    Column("status", Text, nullable=False, server_default="pending"),
    Column("decided_by", BigInteger, ForeignKey("people.id", ondelete="SET NULL")),
    _when("decided_at"),
    Column("revision", BigInteger, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    CheckConstraint("status in ('pending', 'accepted', 'dismissed')", name="deliveries_status"),
    UniqueConstraint("finding_id", "vault_id", name="deliveries_once"),
    Index("deliveries_vault", "vault_id", "revision"),
)
documents = Table(
    "documents",
    metadata,
    _id(),
    Column("key", LargeBinary, nullable=False, unique=True),
    Column("url", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("state", Text, nullable=False),
    _when("asked_at", nullable=False),
    _when("fetched_at"),
    Column("document", LargeBinary),
    Column("embeddings", LargeBinary),
    Column("trouble", Text, nullable=False, server_default=""),
    CheckConstraint("state in ('waiting', 'done', 'failed')", name="documents_state_check"),
    Index("documents_waiting", "asked_at", postgresql_where=text("state = 'waiting'")),
    Index("documents_host", "host"),
)
document_readers = Table(
    "document_readers",
    metadata,
    Column(
        "document_id", BigInteger, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False
    ),
    Column("person_id", BigInteger, ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    _when("asked_at", nullable=False),
    Column("vault_id", BigInteger, ForeignKey("vaults.id", ondelete="CASCADE")),
    Index(
        "document_readers_key",
        "document_id",
        "person_id",
        "vault_id",
        unique=True,
        postgresql_nulls_not_distinct=True,
    ),
    Index("document_readers_person", "person_id"),
    Index("document_readers_vault", "vault_id"),
)
hosts = Table(
    "hosts",
    metadata,
    Column("host", Text, primary_key=True),
    _when("due_at", nullable=False),
)
services = Table(
    "services",
    metadata,
    Column("queue", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    _when("due_at", nullable=False),
)
offers = Table(
    "offers",
    metadata,
    Column("queue", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    _when("seen_at", nullable=False),
)
attempts = Table(
    "attempts",
    metadata,
    Column("queue", Text, primary_key=True),
    Column("id", BigInteger, primary_key=True),
    Column("number", Integer, nullable=False),
)
requests = Table(
    "requests",
    metadata,
    _id(),
    Column("key", LargeBinary, nullable=False, unique=True),
    Column("alike", LargeBinary),
    Column("queue", Text, nullable=False),
    Column("service", Text, nullable=False),
    Column("vault_id", BigInteger, ForeignKey("vaults.id", ondelete="SET NULL")),
    Column("question", LargeBinary, nullable=False),
    Column("state", Text, nullable=False),
    _when("asked_at", nullable=False),
    _when("answered_at"),
    Column("answer", LargeBinary),
    Column("trouble", Text, nullable=False, server_default=""),
    CheckConstraint("state in ('waiting', 'done', 'failed', 'refused')", name="requests_state"),
    Index("requests_waiting", "queue", "asked_at", postgresql_where=text("state = 'waiting'")),
    Index("requests_vault", "vault_id"),
    Index("requests_alike", "alike"),
)
request_readers = Table(
    "request_readers",
    metadata,
    Column(
        "request_id", BigInteger, ForeignKey("requests.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("vault_id", BigInteger, ForeignKey("vaults.id", ondelete="CASCADE"), primary_key=True),
    _when("asked_at", nullable=False),
    Column("refused", Text, nullable=False, server_default=""),
    Index("request_readers_vault", "vault_id"),
)
spending = Table(
    "spending",
    metadata,
    _id(),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("queue", Text, nullable=False),
    Column("service", Text, nullable=False),
    Column("request_id", BigInteger),
    Column("vault_id", BigInteger),
    *(
        Column(name, BigInteger, nullable=False)
        for name in ("requests", "bytes", "tokens", "money")
    ),
    Column("is_settled", Boolean, nullable=False, server_default="false"),
    CheckConstraint("least(requests, bytes, tokens, money) >= 0", name="spending_amounts"),
    Index("spending_at", "at"),
    Index("spending_request", "request_id"),
    Index("spending_vault", "vault_id", "at"),
)
facts = Table(
    "facts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
work_done = Table(
    "work_done",
    metadata,
    Column("vault_id", BigInteger, ForeignKey("vaults.id", ondelete="CASCADE"), primary_key=True),
    Column("hour", DateTime(timezone=True), primary_key=True),
    Column("chunks", BigInteger, nullable=False),
)
rates = Table(
    "rates",
    metadata,
    Column("person_id", BigInteger, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("due_at", DateTime(timezone=True), nullable=False),
    Column("recent", ARRAY(DateTime(timezone=True)), nullable=False, server_default="{}"),
)
audit = Table(
    "audit",
    metadata,
    _id(),
    _when("at", nullable=False),
    Column("person", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("details", JSONB, nullable=False, server_default="{}"),
    Index("audit_at", "at"),
)
