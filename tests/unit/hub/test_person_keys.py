"""Keys of people and groups: used for their own vaults, and for nobody else."""

import pytest
from sqlalchemy import text

from daemon.hub.database import Database
from daemon.hub.members import Grantee, People, Role
from daemon.hub.person_keys import KeyOf, PersonKeys
from daemon.model.errors import HubError

SECRET = "a secret of the hub with 32 letters"
BAKERS, FRIENDS = (Grantee(name, is_group=True) for name in ("bakers", "friends"))


@pytest.fixture
def vaults(database: Database) -> dict[str, int]:
    """Vaults by their owner: ada and ben are bakers, ben and cy friends; all may read ada."""
    with database.begin() as connection:
        people = People(connection, "test")
        found = {}
        for name in ("ada", "ben", "cy", "dee"):
            people.add(name)
            found[name] = people.add_vault(f"{name}'s notes", name)
        for group, members in {"bakers": ("ada", "ben"), "friends": ("ben", "cy")}.items():
            people.add_group(group)
            for member in members:
                people.join(member, group)
        for name, group in (
            ("ada", "bakers"),
            ("ben", "bakers"),
            ("ben", "friends"),
            ("cy", "friends"),
        ):
            people.grant(f"{name}'s notes", Grantee(group, is_group=True), Role.READER)
        people.add_vault("cy's diary", "cy")
        people.grant("cy's diary", Grantee("friends", is_group=True), Role.READER, folder="Open")
        for name in ("ben", "cy", "dee"):
            people.grant("ada's notes", Grantee(name), Role.OWNER)
    return found


def used(database: Database, vaults: dict[str, int], secret: str = SECRET) -> dict[str, str | None]:
    """The key that is used for each vault."""
    with database.begin() as connection:
        keys = PersonKeys(connection, secret, "test")
        return {name: keys.for_vault(vault, "brave") for name, vault in vaults.items()}


def put(database: Database, whose: Grantee, value: str) -> None:
    with database.begin() as connection:
        PersonKeys(connection, SECRET, "test").put("brave", whose, value)


def test_a_key_is_used_for_the_vaults_of_its_person_and_of_the_members_of_its_group(
    database: Database, vaults: dict[str, int]
) -> None:
    put(database, Grantee("ada"), "hers")
    assert used(database, vaults) == {"ada": "hers", "ben": None, "cy": None, "dee": None}
    put(database, FRIENDS, "of friends")
    put(database, BAKERS, "of bakers")
    assert used(database, vaults) == {
        "ada": "hers", "ben": "of bakers", "cy": "of friends", "dee": None,
    }  # fmt: skip
    put(database, Grantee("ben"), "his")
    with database.begin() as connection:
        People(connection, "test").leave("cy", "friends")
        keys = PersonKeys(connection, SECRET, "test")
        assert keys.for_vault(vaults["ada"], "exa") is None
        assert keys.forget("brave", Grantee("ada"))
        assert not keys.forget("brave", Grantee("ada"))
        assert keys.each() == [
            KeyOf("brave", "bakers", True),
            KeyOf("brave", "ben", False),
            KeyOf("brave", "friends", True),
        ]
    assert used(database, vaults) == {"ada": "of bakers", "ben": "his", "cy": None, "dee": None}


def test_a_group_pays_for_no_vault_that_is_not_shared_with_it_and_nobody_for_who_is_disabled(
    database: Database, vaults: dict[str, int]
) -> None:
    put(database, FRIENDS, "of friends")
    put(database, Grantee("ben"), "his")
    with database.begin() as connection:
        keys = PersonKeys(connection, SECRET, "test")
        diary = connection.scalar(text("SELECT id FROM vaults WHERE name = 'cy''s diary'"))
        assert keys.for_vault(int(diary or 0), "brave") is None
        People(connection, "test").revoke("cy's notes", FRIENDS)
        People(connection, "test").disable("ben")
    assert set(used(database, vaults).values()) == {None}


def test_a_key_that_is_moved_to_somebody_else_does_not_open(
    database: Database, vaults: dict[str, int]
) -> None:
    put(database, Grantee("ada"), "hers")
    with database.begin() as connection:
        to_dee = "UPDATE person_keys SET person_id = (SELECT id FROM people WHERE name = 'dee')"
        connection.execute(text(to_dee))
    with pytest.raises(HubError, match="does not open"):
        used(database, vaults)


def test_the_database_alone_opens_no_key(database: Database, vaults: dict[str, int]) -> None:
    put(database, Grantee("ada"), "hers")
    with database.begin() as connection:
        rows = connection.scalars(text("SELECT encode(sealed, 'escape') FROM person_keys")).all()
        log = connection.scalars(text("SELECT a::text FROM audit a")).all()
    assert not [row for row in (*rows, *log) if "hers" in row]
    with pytest.raises(HubError, match="another secret"):
        used(database, vaults, SECRET + "!")
    with pytest.raises(HubError, match="32 characters"):
        used(database, vaults, "short")


def test_a_key_goes_with_its_person_or_group(database: Database, vaults: dict[str, int]) -> None:
    put(database, Grantee("ada"), "hers")
    put(database, BAKERS, "theirs")
    with database.begin() as connection:
        People(connection, "test").delete("ada")
        connection.execute(text("DELETE FROM groups WHERE name = 'bakers'"))
        assert connection.scalar(text("SELECT count(*) FROM person_keys")) == 0
    del vaults["ada"]
    assert set(used(database, vaults).values()) == {None}
