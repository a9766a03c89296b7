"""Who may read what on the hub: a table over all roles and ways to read, on real PostgreSQL."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from daemon.hub.database import Database
from daemon.hub.log import newest
from daemon.hub.members import Grantee, People, Person, Role
from daemon.hub.published import Vault
from daemon.hub.rates import RATES, Rate, seconds_to_wait
from daemon.hub.shared_gaps import SharedGaps
from daemon.hub.shared_search import SharedSearch
from daemon.hub.tables import metadata
from daemon.model.errors import HubConflictError, HubError
from daemon.model.shared_notes import (
    DIMENSIONS,
    Batch,
    SharedChunk,
    SharedNote,
    Vector16,
    packed,
    unpacked,
)

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
HEAD = "0019"  # of the migrations
MODEL = "all-MiniLM-L6-v2"
PEOPLE = ("ada", "ben", "cy", "dee", "eve")
READS = {  # who may read which notes of ada's vault
    "ada": {"Sourdough.md", "Private/Salary.md"},  # owns it
    "ben": {"Sourdough.md", "Private/Salary.md"},  # reader
    "cy": {"Private/Salary.md"},  # reviewer of one folder, as a member of a group
    "dee": set(),  # no right
    "eve": set(),  # reader, but disabled
}


def axis(number: int) -> Vector16:
    """Return an embedding that is similar to itself only."""
    return unpacked(packed_axis(number))


def packed_axis(number: int) -> str:
    return packed(np.eye(DIMENSIONS, dtype=np.float32)[number])


def note(path: str, said: str, number: int, hash_: str = "1") -> SharedNote:
    chunk = SharedChunk(text=said, embedding=packed_axis(number))
    name = path.rpartition("/")[2].removesuffix(".md")
    return SharedNote(path=path, name=name, hash=hash_, chunks=(chunk,))


NOTES = (
    note("Sourdough.md", "flour, water and wild yeast", 0),
    note("Private/Salary.md", "wages of flour mills", 1),
)


@pytest.fixture
def ids(database: Database) -> dict[str, Person]:
    """People by name; ada's vault is published, with the rights that `READS` describes."""
    with database.begin() as connection:
        people = People(connection, "test")
        found = {name: people.add(name) for name in PEOPLE}
        people.add_vault("ada's notes", "ada")
        people.add_group("finance")
        people.join("cy", "finance")
        people.grant("ada's notes", Grantee("ben"), Role.READER)
        people.grant("ada's notes", Grantee("eve"), Role.READER)
        people.disable("eve")
        finance = Grantee("finance", is_group=True)
        people.grant("ada's notes", finance, Role.REVIEWER, folder="Private")
        Vault(connection, "ada's notes", found["ada"]).apply(
            Batch(revision=0, model=MODEL, notes=NOTES)
        )
        return found


def found_by(database: Database, person: Person, words: str, near: int | None = None) -> set[str]:
    with database.as_person(person.id) as connection:
        embedding = axis(near) if near is not None else None
        hits = SharedSearch(connection).search(words, embedding, 10)
    assert {hit.owner for hit in hits} <= {"ada"}
    return {hit.path for hit in hits}


@pytest.mark.parametrize("name", PEOPLE)
def test_nobody_finds_by_words_or_by_meaning_what_they_may_not_read(
    database: Database, ids: dict[str, Person], name: str
) -> None:
    assert found_by(database, ids[name], "flour") == READS[name]
    assert found_by(database, ids[name], "", near=1) == READS[name]


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("table", ["notes", "chunks"])
def test_rows_of_others_are_invisible_even_without_a_condition_and_in_counts(
    database: Database, ids: dict[str, Person], name: str, table: str
) -> None:
    with database.as_person(ids[name].id) as connection:
        paths = set(connection.scalars(text(f"SELECT path FROM {table}")))
        count = connection.scalar(text(f"SELECT count(*) FROM {table}"))
    assert paths == READS[name]
    assert count == len(READS[name])


@pytest.mark.parametrize("statement", [
    "SELECT * FROM people", "SELECT * FROM tokens", "SELECT * FROM grants",
    "SELECT * FROM person_keys", "SELECT * FROM identities",
    "SELECT * FROM logins", "SELECT * FROM rates", "SELECT * FROM audit",
    "UPDATE notes SET name = 'x'", "DELETE FROM chunks", "INSERT INTO groups (name) VALUES ('x')",
])  # fmt: skip
def test_a_person_reads_no_account_and_changes_nothing(
    database: Database, ids: dict[str, Person], statement: str
) -> None:
    with (
        pytest.raises(HubError, match="permission denied"),
        database.as_person(ids["ben"].id) as connection,
    ):
        connection.execute(text(statement))


def test_a_connection_that_goes_back_to_the_pool_forgets_the_person(
    database: Database, ids: dict[str, Person]
) -> None:
    found_by(database, ids["ada"], "flour")
    with database.begin() as connection:
        connection.execute(text("SET LOCAL ROLE lacuna_person"))
        assert connection.scalar(text("SELECT count(*) FROM notes")) == 0


def test_a_right_ends_when_it_is_revoked_and_when_a_membership_ends(
    database: Database, ids: dict[str, Person]
) -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        people.revoke("ada's notes", Grantee("ben"))
        people.leave("cy", "finance")
    assert found_by(database, ids["ben"], "flour") == set()
    assert found_by(database, ids["cy"], "flour") == set()


def test_a_folder_is_no_prefix_of_a_name(database: Database, ids: dict[str, Person]) -> None:
    with database.begin() as connection:
        other = Batch(revision=1, model=MODEL, notes=(note("Private2.md", "flour", 2),))
        Vault(connection, "ada's notes", ids["ada"]).apply(other)
    assert found_by(database, ids["cy"], "flour") == READS["cy"]


def test_only_its_owner_publishes_to_a_vault(database: Database, ids: dict[str, Person]) -> None:
    with database.begin() as connection:
        for name in ("ada's notes", "no such vault"):
            with pytest.raises(HubError, match="you own no vault"):
                Vault(connection, name, ids["ben"])


def test_a_changed_note_is_replaced_and_a_withdrawn_one_is_gone(
    database: Database, ids: dict[str, Person]
) -> None:
    with database.begin() as connection:
        vault = Vault(connection, "ada's notes", ids["ada"])
        changed = (note("Sourdough.md", "rye", 0, hash_="2"),)
        gone = ("Private/Salary.md", "Unknown.md")
        assert vault.apply(Batch(revision=1, model=MODEL, notes=changed, withdrawn=gone)) == 2
        assert vault.published().hashes == {"Sourdough.md": "2"}
        assert vault.published().revision == 2
    assert found_by(database, ids["ada"], "flour") == set()
    assert found_by(database, ids["ada"], "rye") == {"Sourdough.md"}


def test_a_batch_that_does_not_follow_the_last_one_is_refused_as_a_whole(
    database: Database, ids: dict[str, Person]
) -> None:
    batch = Batch(revision=1, model=MODEL, notes=(note("New.md", "rye", 3),))
    with database.begin() as connection:
        Vault(connection, "ada's notes", ids["ada"]).apply(batch)
    with pytest.raises(HubConflictError), database.begin() as connection:  # sent twice
        Vault(connection, "ada's notes", ids["ada"]).apply(batch)
    assert found_by(database, ids["ada"], "rye") == {"New.md"}


def test_embeddings_of_another_model_are_refused(
    database: Database, ids: dict[str, Person]
) -> None:
    other = Batch(revision=1, model="another", notes=(note("A.md", "rye", 0),))
    with pytest.raises(HubError, match=MODEL), database.begin() as connection:
        Vault(connection, "ada's notes", ids["ada"]).apply(other)


@pytest.mark.parametrize("embedding", ["AAAA", "not base64", packed_axis(0)[:-8]])
def test_an_embedding_of_another_shape_is_refused(
    database: Database, ids: dict[str, Person], embedding: str
) -> None:
    bad = SharedNote(path="A.md", hash="1", chunks=(SharedChunk(embedding=embedding),))
    with pytest.raises(HubError, match="an embedding must"), database.begin() as connection:
        Vault(connection, "ada's notes", ids["ada"]).apply(
            Batch(revision=1, model=MODEL, notes=(bad,))
        )


def test_a_burst_is_answered_and_then_as_many_as_the_rate_allows(
    database: Database, ids: dict[str, Person]
) -> None:
    def asked(name: str, seconds_later: int) -> int:
        with database.begin() as connection:
            _pass_seconds(connection, seconds_later)
            return seconds_to_wait(connection, ids[name], Rate(per_minute=10, burst=3))

    assert [asked("ben", 0) for _ in range(3)] == [0, 0, 0]
    assert 55 <= asked("ben", 0) <= 60  # never more than three in a minute
    assert asked("ada", 0) == 0  # somebody else
    assert asked("ben", 30) > 0
    assert [asked("ben", 31), asked("ben", 0), asked("ben", 0)] == [0, 0, 0]
    assert asked("ben", 0) > 0


def test_in_no_minute_are_there_more_than_a_burst_and_in_ten_no_more_than_the_rate_allows(
    database: Database, ids: dict[str, Person]
) -> None:
    rate, admitted = RATES[Role.READER], []
    with database.begin() as connection:
        for at in range(0, 600, 2):
            _pass_seconds(connection, 2)
            while seconds_to_wait(connection, ids["ben"], rate) == 0:
                admitted.append(at)
    assert admitted[: rate.burst] == [0] * rate.burst
    assert max(sum(at <= each < at + 60 for each in admitted) for at in admitted) == rate.burst
    assert 9 * rate.per_minute <= len(admitted) <= rate.burst + 10 * rate.per_minute


def _pass_seconds(connection: Connection, seconds: int) -> None:
    earlier = text("""
        UPDATE rates SET due_at = due_at - :s * interval '1 second', recent = array(
          SELECT at - :s * interval '1 second' FROM unnest(recent) AS at)
    """)
    connection.execute(earlier, {"s": seconds})


def test_a_note_shared_without_its_text_is_found_by_meaning_only(
    database: Database, ids: dict[str, Person]
) -> None:
    chunk = SharedChunk(embedding=packed_axis(7))
    silent = SharedNote(path="Secret.md", hash="1", chunks=(chunk,))
    with database.begin() as connection:
        Vault(connection, "ada's notes", ids["ada"]).apply(
            Batch(revision=1, model=MODEL, notes=(silent,))
        )
    with database.as_person(ids["ben"].id) as connection:
        hit = SharedSearch(connection).search("secret", axis(7), 1)[0]
    assert (hit.path, hit.name, hit.text) == ("Secret.md", None, None)


def test_what_others_have_nearer_to_a_topic_hides_nothing_of_ones_own(
    database: Database, ids: dict[str, Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.hub.database._CANDIDATES", 1)
    monkeypatch.setattr("daemon.hub.database._SCANNED", 1)
    nearer = tuple(note(f"{number}.md", "", 0) for number in range(300))
    mine = np.eye(DIMENSIONS, dtype=np.float32)[0] + np.eye(DIMENSIONS, dtype=np.float32)[1]
    farther = tuple(
        SharedNote(path=f"{number}.md", hash="1", chunks=(SharedChunk(embedding=packed(mine)),))
        for number in range(20)
    )
    with database.begin() as connection:
        Vault(connection, "ada's notes", ids["ada"]).apply(
            Batch(revision=1, model=MODEL, notes=nearer)
        )
        People(connection, "test").add_vault("dee's notes", "dee")
        dees = Vault(connection, "dee's notes", ids["dee"])
        dees.apply(Batch(revision=0, model=MODEL, notes=farther))
        connection.execute(text("ANALYZE chunks"))
    with database.as_person(ids["dee"].id) as connection:
        connection.execute(text("SET LOCAL enable_seqscan = off"))
        connection.execute(text("SET LOCAL enable_sort = off"))
        assert len(SharedSearch(connection).nearest(axis(0), 10)) == 10


def test_gaps_are_those_of_the_vaults_that_somebody_may_read(
    database: Database, ids: dict[str, Person]
) -> None:
    def of(name: str) -> tuple[list[tuple[str, int]], list[str]]:
        with database.as_person(ids[name].id) as connection:
            found = SharedGaps(connection)
            missing = [(each.name, each.notes) for each in found.missing(10)]
            return missing, [each.name for each in found.doubled(10)]

    def wants(path: str, *names: str) -> SharedNote:
        name = path.removesuffix(".md")
        return SharedNote(path=path, name=name, hash="1", wanted=names)

    with database.begin() as connection:
        People(connection, "test").add_vault("ben's notes", "ben")
        mine = (wants("Rye.md", "Autolyse"), wants("sourdough.md", "Poolish", "Rye"))
        Vault(connection, "ben's notes", ids["ben"]).apply(Batch(revision=0, notes=mine))
        hers = (wants("Spelt.md", "autolyse", "Poolish"), wants("Private/Pay.md", "Poolish"))
        Vault(connection, "ada's notes", ids["ada"]).apply(Batch(revision=1, notes=hers))
    # Autolyse and Poolish are wanted in both vaults; Rye is there.
    assert of("ben") == ([("Poolish", 3), ("Autolyse", 2)], ["Sourdough"])
    assert of("ada") == ([("Poolish", 2)], [])
    assert of("cy") == of("dee") == of("eve") == ([], [])


def test_a_token_opens_one_account_until_it_expires_or_is_revoked(
    database: Database, ids: dict[str, Person]
) -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        token = people.new_token("ben", "laptop", NOW, timedelta(days=30))
        assert people.who(token, NOW) == ids["ben"]
        assert people.who(token[:-1], NOW) is None
        assert people.who(token, NOW + timedelta(days=31)) is None
        stored = connection.execute(text("SELECT t::text FROM tokens t")).scalars().all()
        assert not [row for row in stored if token in row]
        assert people.revoke_tokens("ben", "laptop") == 1
        assert people.who(token, NOW) is None
        of_eve = people.new_token("eve", "phone", NOW, timedelta(days=30))
        assert people.who(of_eve, NOW) is None  # disabled


def test_the_audit_log_names_who_did_what_and_cannot_be_changed(
    database: Database, ids: dict[str, Person]
) -> None:
    assert ids
    with database.begin() as connection:
        entries = [(entry.person, entry.action) for entry in newest(connection, 100)]
    assert ("test", "right granted") in entries
    for statement in ("UPDATE audit SET person = 'x'", "DELETE FROM audit", "TRUNCATE audit"):
        with (
            pytest.raises(HubError, match="only appended to"),
            database.begin() as connection,
        ):
            connection.execute(text(statement))


def test_a_text_that_the_database_cannot_store_is_refused_and_nothing_of_its_batch_is_stored(
    database: Database,
) -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        ada = people.add("ada")
        people.add_vault("V", "ada")
    texts = (SharedChunk(text="flour"), SharedChunk(text="fl\0ur"))
    batch = Batch(revision=0, notes=(SharedNote(path="A.md", hash="1", chunks=texts),))
    with (
        pytest.raises(HubError, match="the database refused: "),
        database.begin() as connection,
    ):
        Vault(connection, "V", ada).apply(batch)
    with database.begin() as connection:
        assert Vault(connection, "V", ada).published().hashes == {}


def test_unknown_and_double_names_are_refused_in_one_line(database: Database) -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        people.add("ada")
        with pytest.raises(HubError, match="there is a person called ada already"):
            people.add("ada")
        with pytest.raises(HubError, match="there is no group called nobody"):
            people.join("ada", "nobody")
        with pytest.raises(HubError, match="1 to 200 characters"):
            people.add(" ")


def _is_ours(name: str | None, kind: str, _parents: object) -> bool:
    return kind != "table" or not (name or "").startswith("procrastinate_")


def test_migrations_make_the_tables_that_the_code_knows_and_run_twice(empty: str) -> None:
    made = Database(empty)
    assert made.version() is None
    assert made.migrate() == (None, HEAD)
    assert made.migrate() == (HEAD, HEAD)
    with made.begin() as connection:
        may = "SELECT has_database_privilege('lacuna_person', current_database(), 'TEMPORARY')"
        assert connection.scalar(text(may)) is False
        found = MigrationContext.configure(connection, opts={"include_name": _is_ours})
        assert compare_metadata(found, metadata) == []
    made.close()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://host/name", "must be PostgreSQL"),
        ("nonsense", "must be a URL"),
        ("postgresql://postgres@/x?host=/nowhere", "the database refused: connection"),
    ],
)
def test_a_database_that_cannot_be_used_is_named_in_one_line(url: str, why: str) -> None:
    with pytest.raises(HubError, match=why):
        Database(url).migrate()
