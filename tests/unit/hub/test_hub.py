"""Who may read what on the hub: a table over all roles and ways to read, on real PostgreSQL."""

from datetime import UTC, datetime, timedelta

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from daemon.hub.database import Database, HubError
from daemon.hub.log import newest
from daemon.hub.members import Grantee, People, Person, Role
from daemon.hub.published import PublishedChunk, PublishedNote, Vault
from daemon.hub.shared_search import SharedSearch
from daemon.hub.tables import DIMENSIONS, metadata

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
PEOPLE = ("ada", "ben", "cy", "dee", "eve")
READS = {  # who may read which notes of ada's vault
    "ada": {"Sourdough.md", "Private/Salary.md"},  # owns it
    "ben": {"Sourdough.md", "Private/Salary.md"},  # reader
    "cy": {"Private/Salary.md"},  # reviewer of one folder, as a member of a group
    "dee": set(),  # no right
    "eve": set(),  # reader, but disabled
}


def axis(number: int) -> list[float]:
    """Return an embedding that is similar to itself only."""
    return [1.0 if place == number else 0.0 for place in range(DIMENSIONS)]


def note(path: str, said: str, number: int, hash_: str = "1") -> PublishedNote:
    chunk = PublishedChunk("", said, axis(number))
    return PublishedNote(path, path.rpartition("/")[2].removesuffix(".md"), hash_, (chunk,))


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
        Vault(connection, "ada's notes", found["ada"]).publish(NOTES)
        return found


def found_by(database: Database, person: Person, words: str, near: int | None = None) -> set[str]:
    with database.as_person(person.id) as connection:
        embedding = axis(near) if near is not None else None
        return {hit.path for hit in SharedSearch(connection).search(words, embedding, 10)}


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
    "SELECT * FROM people", "SELECT * FROM tokens", "SELECT * FROM grants", "SELECT * FROM audit",
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
        Vault(connection, "ada's notes", ids["ada"]).publish([note("Private2.md", "flour", 2)])
    assert found_by(database, ids["cy"], "flour") == READS["cy"]


def test_only_its_owner_publishes_to_a_vault(database: Database, ids: dict[str, Person]) -> None:
    with database.begin() as connection:
        for name in ("ada's notes", "no such vault"):
            with pytest.raises(HubError, match="you own no vault"):
                Vault(connection, name, ids["ben"])


def test_publishing_again_changes_nothing_and_a_withdrawn_note_is_gone(
    database: Database, ids: dict[str, Person]
) -> None:
    with database.begin() as connection:
        vault = Vault(connection, "ada's notes", ids["ada"])
        assert vault.publish(NOTES) == 0
        assert vault.publish([note("Sourdough.md", "rye", 0, hash_="2")]) == 1
        assert vault.hashes() == {"Sourdough.md": "2", "Private/Salary.md": "1"}
        assert vault.withdraw(["Private/Salary.md", "Unknown.md"]) == 1
    assert found_by(database, ids["ada"], "flour") == set()
    assert found_by(database, ids["ada"], "rye") == {"Sourdough.md"}


def test_a_note_shared_without_its_text_is_found_by_meaning_only(
    database: Database, ids: dict[str, Person]
) -> None:
    silent = PublishedNote("Secret.md", None, "1", (PublishedChunk("", None, axis(7)),))
    with database.begin() as connection:
        Vault(connection, "ada's notes", ids["ada"]).publish([silent])
    with database.as_person(ids["ben"].id) as connection:
        hit = SharedSearch(connection).search("secret", axis(7), 1)[0]
    assert (hit.path, hit.name, hit.text) == ("Secret.md", None, None)


def test_what_is_deleted_with_a_person_is_nowhere_in_the_database(
    database: Database, ids: dict[str, Person]
) -> None:
    assert ids
    with database.begin() as connection:
        People(connection, "test").delete("ada")
        for table in inspect(connection).get_table_names():
            if table == "audit":
                continue
            rows = connection.execute(text(f'SELECT t::text FROM "{table}" t')).scalars().all()
            assert not [row for row in rows if "flour" in row or "ada" in row], table


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


def test_migrations_make_the_tables_that_the_code_knows_and_run_twice(empty: str) -> None:
    made = Database(empty)
    assert made.version() is None
    assert made.migrate() == (None, "0001")
    assert made.migrate() == ("0001", "0001")
    with made.begin() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
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
