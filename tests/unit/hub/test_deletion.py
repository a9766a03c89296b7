"""What is deleted with a vault or a person is nowhere in the database: every table is searched."""

import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, inspect, select, text, update

from daemon.hub.database import Database
from daemon.hub.deliveries import decide, deliver
from daemon.hub.logins import Logins
from daemon.hub.members import Grantee, People, Role
from daemon.hub.night_budget import HubLedger
from daemon.hub.person_keys import PersonKeys
from daemon.hub.published import Vault
from daemon.hub.rates import RATES, seconds_to_wait
from daemon.hub.service_requests import Requests, serve_one
from daemon.hub.tables import deliveries, metadata
from daemon.hub.tables import people as people_table
from daemon.hub.web_documents import Documents
from daemon.hub.worker_jobs import Jobs
from daemon.hub.workload import count_done
from daemon.model.finding import FindingStatus
from daemon.model.shared_findings import SharedFinding, SharedQuote
from daemon.model.shared_notes import Batch, SharedChunk, SharedNote
from daemon.model.shared_requests import RESEARCH
from daemon.model.sign_in import Admission, Identity
from daemon.model.spending import Sending

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
QUESTION = b"a query of ada".hex()  # as PostgreSQL shows it
KEPT = {"audit", "facts", "alembic_version"}  # the log keeps names; the others know nobody


def a_finding(whose: str, topic: str) -> SharedNote:
    body = SharedFinding(
        key=f"{whose}-1", title=f"{whose} on {topic}", topic=topic, credibility=0.5,
        is_accepted=True, quotes=(SharedQuote(text=f"Quoted by {whose}."),),
    )  # fmt: skip
    return SharedNote(path=f"Inbox/{whose}", hash="1", finding=body)


def publish(connection: Connection, whose: str, wants: str, *more: SharedNote) -> Vault:
    vault = Vault(connection, f"notes of {whose}", People(connection, "test").find(whose))
    chunks = (SharedChunk(heading=f"head of {whose}", text=f"text of {whose}"),)
    note = SharedNote(path=f"{whose}.md", name=whose, hash="1", chunks=chunks, wanted=(wants,))
    vault.apply(Batch(revision=0, notes=(note, *more)))
    return vault


class Counting:
    """A source that is asked once, and counted."""

    places = 1
    pause = timedelta()

    def __init__(self, database: Database) -> None:
        self._ledger = HubLedger(database)

    def answer(self, question: bytes) -> bytes:
        self._ledger.reserve(Sending("openalex", "question"))
        return json.dumps({"query": question.decode()}).encode()


@pytest.fixture
def full(database: Database) -> Database:
    """Ada and ben have rows in each table, each got a finding of the other, and decided it."""
    with database.begin() as connection:
        people = People(connection, "test")
        ids = {name: people.add(name) for name in ("ada", "ben")}
        for mine, theirs in (("ada", "ben"), ("ben", "ada")):
            vault = people.add_vault(f"notes of {mine}", mine)
            people.add_vault(f"diary of {mine}", mine)
            people.add_group(f"friends of {mine}")
            people.join(mine, f"friends of {mine}")
            people.new_token(mine, f"laptop of {mine}", NOW, timedelta(days=9))
            people.grant(f"notes of {mine}", Grantee(theirs), Role.REVIEWER)
            seconds_to_wait(connection, ids[mine], RATES[Role.OWNER])
            who = Identity("https://login.example", f"subject of {mine}", f"mail of {mine}")
            connection.execute(
                update(people_table).where(people_table.c.name == mine).values(email=who.email)
            )
            logins = Logins(connection)
            logins.person(who, Admission(days=1))
            begun = logins.begin(f"phone of {mine}", "c", 1, f"address of {mine}")
            logins.confirm(logins.recognise(logins.come_back(begun.state), ids[mine]))
            keys = PersonKeys(connection, "a secret of thirty-two characters", "test")
            keys.put(f"key of {mine}", Grantee(mine), "k")
            site = f"{mine}.example"
            Documents(connection).ask(ids[mine].id, f"https://{site}/", site, vault)
        hers = publish(connection, "ada", "Autolyse", a_finding("ada", "Poolish")).id
        handed_over = Requests(connection)
        handed_over.offer(RESEARCH, {"openalex": Counting(database)})
        handed_over.ask(RESEARCH, "openalex", hers, b"a query of ada", apart=False)
        count_done(connection, hers, 3)
        his = publish(connection, "ben", "Poolish", a_finding("ben", "Autolyse")).id
    assert serve_one(database, RESEARCH, {"openalex": Counting(database)})
    with closing(Jobs(database)) as jobs:
        jobs.hand_over(2)
    deliver(database, hers, ids["ada"])
    deliver(database, his, ids["ben"])
    with database.begin() as connection:
        found = connection.scalars(select(deliveries.c.id)).all()
    for number in found:
        decide(database, number, FindingStatus.ACCEPTED, ids["ada"])
    return database


def rows_with(connection: Connection, words: tuple[str, ...]) -> dict[str, int]:
    """Return the number of rows with one of the words, by table."""
    found = {}
    for table in inspect(connection).get_table_names():
        rows = connection.execute(text(f'SELECT t::text FROM "{table}" t')).scalars().all()
        if number := sum(any(word in row for word in words) for row in rows):
            found[table] = number
    return found


def test_the_search_finds_what_is_there(full: Database) -> None:
    with full.begin() as connection:
        found = rows_with(connection, ("ada", "ben"))
        numbers = {
            table.name: connection.execute(select(table)).all() for table in metadata.sorted_tables
        }
    assert {name for name, rows in numbers.items() if not rows} <= {"facts", "attempts"}
    assert {"people", "tokens", "vaults", "groups", "notes", "chunks", "findings"} <= found.keys()


@pytest.mark.parametrize(
    ("delete", "words"),
    [
        (
            lambda people: people.delete("ada"),
            ("of ada", "by ada", "ada.md", "ada on", ",ada,", QUESTION),
        ),
        (
            lambda people: people.delete_vault("notes of ada"),
            ("notes of ada", "text of ada", "by ada", "ada.md", "ada on", "ada.example", QUESTION),
        ),
    ],
    ids=["person", "vault"],
)
def test_what_was_theirs_is_in_no_table_and_what_is_others_stays(
    full: Database, delete: Callable[[People], None], words: tuple[str, ...]
) -> None:
    with full.begin() as connection:
        before = rows_with(connection, words)
        assert before.keys() > {"notes", "chunks"}
        delete(People(connection, "test"))
    with full.begin() as connection:
        found = rows_with(connection, words)
        ben = rows_with(connection, ("text of ben", "Quoted by ben", "laptop of ben"))
        numbers = select(deliveries.c.decided_by)
        deciders = connection.scalars(numbers).all()
    assert found.keys() <= KEPT | {"groups"}, found
    assert {"chunks", "findings", "tokens"} <= ben.keys()
    assert deciders == []  # each delivery was from or to a vault of ada's
