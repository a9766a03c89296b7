"""Web documents that vaults asked for: each is fetched and read once for all of them.

Only workers store documents. A vault cannot say what an address contains, since others would
believe it. Somebody sees only documents that they asked for, so that nobody learns what others
read.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError
from sqlalchemy import (
    BigInteger,
    Connection,
    Row,
    Select,
    Text,
    cast,
    delete,
    func,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from daemon.hub.attempts import (
    MOST,
    begin_work,
    count_attempt,
    forget_attempts,
    is_given_up,
)
from daemon.hub.database import PERSON, Database
from daemon.hub.in_hand import HELD, begin_waiting, is_held, take
from daemon.hub.tables import document_readers, documents, hosts
from daemon.model.errors import ExtractError, FetchError
from daemon.model.shared_documents import (
    DocumentAnswer,
    EmbeddedAnswer,
    SharedDocument,
    SharedEmbeddings,
    encoded,
)
from daemon.ports import Extracted, RetrievedDocument

EXTRACT = "extract"  # the queue
_log = logging.getLogger(__name__)
_FRESH = timedelta(days=7)  # after which a document is fetched again when somebody asks
_FAILED = timedelta(hours=1)  # the same for one that could not be fetched
_KEPT = timedelta(days=30)  # since somebody last asked for it
_PAUSE = timedelta(seconds=2)  # between two documents of one site, over all workers
_MAX_TROUBLE = 500  # characters

# What a worker locks until it has stored a document: this, and the site.
_DOCUMENT = "'document/' || d.id"
_SITE = "'site/' || d.host"
# The oldest of a random vault of a random person, so that nobody waits for another's hundred; of a
# site that no worker uses now.
_NEXT = text(f"""
WITH held AS ({HELD}), waiting AS (
  SELECT DISTINCT r.person_id, r.vault_id FROM document_readers r
  JOIN documents d ON d.id = r.document_id WHERE d.state = 'waiting'
), people AS (
  SELECT person_id, random() AS place FROM waiting GROUP BY person_id
), turns AS (
  SELECT person_id, vault_id, p.place, random() AS of_vault
  FROM waiting JOIN people p USING (person_id)
)
SELECT d.id, d.url, d.host, {_DOCUMENT} AS name, {_SITE} AS site FROM documents d
JOIN hosts h ON h.host = d.host
JOIN document_readers r ON r.document_id = d.id
JOIN turns t ON t.person_id = r.person_id AND t.vault_id IS NOT DISTINCT FROM r.vault_id
WHERE d.state = 'waiting' AND h.due_at <= clock_timestamp() AND NOT EXISTS (
  SELECT FROM attempts a WHERE a.queue = 'extract' AND a.id = d.id AND a.number >= :most
)
  AND hashtextextended({_DOCUMENT}, 0) NOT IN (SELECT key FROM held)
  AND hashtextextended({_SITE}, 0) NOT IN (SELECT key FROM held)
ORDER BY t.place, t.of_vault, d.asked_at, d.id LIMIT 1
""")  # noqa: S608 only names are put in
_STILL = text("""
SELECT EXISTS (
  SELECT FROM documents d JOIN hosts h ON h.host = d.host
  WHERE d.id = :id AND d.state = 'waiting' AND h.due_at <= clock_timestamp()
)
""")

Fetch = Callable[[str], RetrievedDocument]
"""Fetches and reads the document at an address. Raises FetchError, ExtractError."""
Embed = Callable[[RetrievedDocument], SharedEmbeddings | None]
"""Embeds what vaults compare of a document; None without a model, or if it cannot be done."""


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents, in one transaction."""

    connection: Connection

    def ask(self, person: int, url: str, host: str, vault: int | None = None) -> bool:
        """Note that somebody wants a document for a vault, if it is said for which; return whether
        it has to be fetched.
        """
        at, now = documents.c, func.now()
        is_old = or_(
            (at.state == "done") & (at.fetched_at < now - _FRESH),
            (at.state == "failed") & (at.fetched_at < now - _FAILED),
        )
        known = select(at.id, is_old.label("is_old")).where(at.key == _key(url))
        row = self.connection.execute(known).first()
        if is_new := row is None:
            self._add(url, host)
            row = self.connection.execute(known).one()
        elif row.is_old:
            again = update(documents).where(at.id == row.id, is_old)
            waits = self.connection.execute(again.values(state="waiting", asked_at=now))
            is_new = waits.rowcount == 1
            forget_attempts(self.connection, EXTRACT, [row.id])
        reader = {"document_id": row.id, "person_id": person, "vault_id": vault}
        reads = upsert(document_readers).values(reader)
        self.connection.execute(
            reads.on_conflict_do_update(index_elements=list(reader), set_={"asked_at": now})
        )
        return is_new

    def _add(self, url: str, host: str) -> None:
        wanted = upsert(documents).values(key=_key(url), url=url, host=host, state="waiting")
        self.connection.execute(wanted.on_conflict_do_nothing())
        self.connection.execute(upsert(hosts).values(host=host).on_conflict_do_nothing())

    def answer(self, url: str, model: str = "") -> DocumentAnswer:
        """Return what there is of a document that the person of this transaction asked for, with
        its embeddings by a model.

        Its date is the day on which they asked: when it was fetched would say when another read it.
        """
        mine = document_readers.c.person_id == cast(func.current_setting(PERSON), BigInteger)
        day = func.date_trunc("day", document_readers.c.asked_at, "UTC").label("day")
        query = (
            select(
                *(documents.c[name] for name in ("state", "trouble", "document", "embeddings")), day
            )
            .join(document_readers, document_readers.c.document_id == documents.c.id)
            .where(documents.c.key == _key(url), mine)
            .order_by(document_readers.c.asked_at.desc())
        )
        row = self.connection.execute(query).first()
        if row is None or row.state == "waiting":
            return DocumentAnswer()
        if row.state == "failed":
            return DocumentAnswer(trouble=row.trouble)
        found = SharedDocument.model_validate_json(row.document)
        found = found.model_copy(update={"fetched_at": row.day})
        if not (model and row.embeddings):
            return DocumentAnswer(document=found)
        known = SharedEmbeddings.model_validate_json(row.embeddings)
        return EmbeddedAnswer(document=found, embeddings=known if known.model == model else None)

    def number_waiting(self) -> int:
        """Return how many documents no worker has fetched yet."""
        return self.connection.scalar(_waiting()) or 0

    def tidy(self) -> None:
        """Give up what kills its workers, and delete what nobody asked for any more; a trigger
        deletes the documents and sites.
        """
        deadly = (documents.c.state == "waiting", is_given_up(EXTRACT, documents.c.id))
        name = literal("document/") + cast(documents.c.id, Text)
        trouble = f"its worker ended {MOST} times"
        given_up = {"state": "failed", "trouble": trouble, "fetched_at": func.now()}
        self.connection.execute(update(documents).where(*deadly, ~is_held(name)).values(given_up))
        old = document_readers.c.asked_at < func.now() - _KEPT
        self.connection.execute(delete(document_readers).where(old))
        # A page may have been asked for at the very moment when its site was deleted.
        waiting = select(documents.c.host).where(documents.c.state == "waiting").distinct()
        found = upsert(hosts).from_select(["host"], waiting)
        self.connection.execute(found.on_conflict_do_nothing())


def fetch_one(database: Database, fetch: Fetch, embed: Embed = lambda _found: None) -> bool:
    """Fetch, embed and store one document; return whether there was one of a site that is free."""
    while True:
        with database.begin() as connection:
            begin_work(connection, EXTRACT)
            row = connection.execute(_NEXT, {"most": MOST}).first()
            if row is None:
                return False
            if take(connection, row.name, row.site) and connection.scalar(_STILL, {"id": row.id}):
                count_attempt(database, EXTRACT, [row.id])
                begin_waiting(connection)
                _store(connection, row, _fetched(row, fetch, embed))
                return True


def _store(connection: Connection, row: Row[Any], stored: dict[str, str | bytes | None]) -> None:
    """Store a document, unless it was deleted or given up in the meantime; its site rests."""
    now = func.clock_timestamp()
    of_row = (documents.c.id == row.id, documents.c.state == "waiting")
    connection.execute(update(documents).where(*of_row).values(fetched_at=now, **stored))
    forget_attempts(connection, EXTRACT, [row.id])
    due = update(hosts).where(hosts.c.host == row.host).values(due_at=now + _PAUSE)
    connection.execute(due)


def _waiting() -> Select[int]:
    return select(func.count()).select_from(documents).where(documents.c.state == "waiting")


def _key(url: str) -> bytes:
    return sha256(url.encode("utf-8", "surrogatepass")).digest()


def _fetched(row: Row[Any], fetch: Fetch, embed: Embed) -> dict[str, str | bytes | None]:
    """Return what is stored of a document after an attempt."""
    try:
        found = fetch(row.url)
        sent = SharedDocument(
            final_url=found.final_url,
            content_type=found.content_type,
            fetched_at=found.fetched_at,
            body=encoded(found.body),
            extracted=TypeAdapter(Extracted).dump_python(found.extracted, mode="json"),
            version=found.extracted.version,
        )
        document = sent.model_dump_json().encode()
        embedded = embed(found)
    except (FetchError, ExtractError) as error:
        return _failed(str(error).replace("\0", "")[:_MAX_TROUBLE])
    except PydanticSerializationError:  # half a character in the text of a broken page
        return _failed("its text is not Unicode")
    except Exception:  # noqa: BLE001 left waiting, it would be taken first again
        _log.exception("a document could not be fetched")
        return _failed("an error of Lacuna: see the log of the worker")
    embeddings = embedded.model_dump_json().encode() if embedded is not None else None
    return {"state": "done", "document": document, "embeddings": embeddings, "trouble": ""}


def _failed(why: str) -> dict[str, str | bytes | None]:
    return {"state": "failed", "document": None, "embeddings": None, "trouble": why}
