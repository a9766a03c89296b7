"""Findings for the gaps of other vaults: who gets them, who sees them, and who decides first."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from sqlalchemy import text

from daemon.hub.database import Database
from daemon.hub.deliveries import decide, deliver, delivered, to_review
from daemon.hub.members import Grantee, People, Person, Role
from daemon.hub.published import Vault
from daemon.model.errors import HubConflictError, HubUnknownError
from daemon.model.finding import FindingStatus
from daemon.model.shared_findings import SharedFinding, SharedQuote
from daemon.model.shared_notes import Batch, SharedNote
from tests.fakes.postgres import wait_for_lock

HERS, HIS = "ada's notes", "ben's notes"
ACCEPTED, DISMISSED = FindingStatus.ACCEPTED, FindingStatus.DISMISSED
RIGHTS = {  # in the vault that has the finding, in the one that lacks the note, and its folder
    "cy": (Role.READER, Role.REVIEWER, ""),
    "dee": (None, Role.REVIEWER, ""),
    "eve": (Role.READER, Role.READER, ""),
    "fay": (Role.READER, Role.REVIEWER, "Bread"),
    "gus": (Role.READER, Role.REVIEWER, "Private"),
    "hal": (Role.OWNER, None, ""),
    "ida": (None, None, ""),
}
REVIEWERS = {"ben", "cy", "fay"}


def finding(key: str, topic: str, question: str = "") -> SharedNote:
    quotes = (SharedQuote(text="Twenty minutes suffice.", url="https://example.org/a"),)
    body = SharedFinding(
        key=key, title=topic, topic=topic, question=question,
        credibility=0.7, is_accepted=True, quotes=quotes,
    )  # fmt: skip
    return SharedNote(path=f"Inbox/{key}", hash=key, finding=body)


def publish(
    database: Database, owner: Person, vault: str, *notes: SharedNote, **gone: object
) -> None:
    with database.begin() as connection:
        found = Vault(connection, vault, owner)
        batch = {"revision": found.published().revision, "notes": notes, **gone}
        found.apply(Batch.model_validate(batch))


def receive(database: Database, owner: Person, vault: str = HIS, after: int = 0) -> dict[str, int]:
    """Deliver, and return the number of each finding by its key."""
    with database.begin() as connection:
        id_ = Vault(connection, vault, owner).id
    deliver(database, id_, owner)
    with database.as_person(owner.id) as connection:
        found = delivered(connection, id_, after).deliveries
    return {each.finding.key: each.id for each in found}


@pytest.fixture
def ids(database: Database) -> dict[str, Person]:
    """People by name; ada found something on what ben's note in the folder Bread lacks."""
    with database.begin() as connection:
        people = People(connection, "test")
        found = {name: people.add(name) for name in ("ada", "ben", *RIGHTS)}
        for vault, owner in ((HERS, "ada"), (HIS, "ben")):
            people.add_vault(vault, owner)
        people.grant(HERS, Grantee("ben"), Role.READER)
        for name, (in_hers, in_his, folder) in RIGHTS.items():
            if in_hers:
                people.grant(HERS, Grantee(name), in_hers)
            if in_his:
                people.grant(HIS, Grantee(name), in_his, folder)
    publish(database, found["ada"], HERS, finding("f-1", "Bread", "How long does autolyse take?"))
    wants = SharedNote(path="Bread/Rye.md", name="Rye", hash="1", wanted=("Autolyse", "AI"))
    publish(database, found["ben"], HIS, wants)
    return found


@pytest.mark.parametrize("name", ["ada", "ben", *RIGHTS])
def test_a_delivery_is_seen_and_decided_by_its_reviewers_who_may_read_the_finding(
    database: Database, ids: dict[str, Person], name: str
) -> None:
    number = receive(database, ids["ben"])["f-1"]
    with database.as_person(ids[name].id) as connection:
        seen = [each.gap for each in to_review(connection, 10)]
        rows = connection.execute(text("SELECT gap FROM deliveries")).scalars().all()
    assert seen == rows == (["Autolyse"] if name in REVIEWERS else [])
    if name in REVIEWERS:
        done = decide(database, number, ACCEPTED, ids[name])
        assert (done.status, done.decided_by) == (ACCEPTED, name)
        return
    with pytest.raises(HubUnknownError) as refused:
        decide(database, number, ACCEPTED, ids[name])
    with pytest.raises(HubUnknownError) as unknown:
        decide(database, 999, ACCEPTED, ids[name])
    assert str(refused.value).replace(str(number), "999") == str(unknown.value)


def test_of_two_reviewers_at_the_same_moment_one_decides_and_the_other_is_told_who_did(
    database: Database, ids: dict[str, Person]
) -> None:
    number = receive(database, ids["ben"])["f-1"]
    together = threading.Barrier(2)

    def review(name: str, status: FindingStatus) -> str:
        together.wait(30)
        try:
            return decide(database, number, status, ids[name]).decided_by or ""
        except HubConflictError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        ben, cy = pool.submit(review, "ben", ACCEPTED), pool.submit(review, "cy", DISMISSED)
        answers = {"ben": ben.result(), "cy": cy.result()}
    [winner] = [name for name, answer in answers.items() if answer == name]
    [late] = [answer for answer in answers.values() if answer != winner]
    status = ACCEPTED if winner == "ben" else DISMISSED
    assert late.startswith(f"finding {number} is decided already: {winner} {status} it (20")
    again = decide(database, number, status, ids[winner])  # as after a lost answer
    assert (again.decided_by, again.status) == (winner, status)
    with database.begin() as connection:
        entries = connection.scalars(text("SELECT person FROM audit WHERE action LIKE 'finding%'"))
        assert entries.all() == [winner]


def test_a_right_that_ends_while_a_decision_waits_ends_the_decision(
    database: Database, ids: dict[str, Person]
) -> None:
    number = receive(database, ids["ben"])["f-1"]
    with ThreadPoolExecutor(1) as pool:
        with database.begin() as connection:
            connection.execute(text("SELECT id FROM vaults FOR UPDATE"))
            decided = pool.submit(decide, database, number, ACCEPTED, ids["cy"])
            wait_for_lock(database, decided)
            People(connection, "test").revoke(HIS, Grantee("cy"))
        with pytest.raises(HubUnknownError):
            decided.result(30)
    with database.begin() as connection:
        assert connection.scalars(text("SELECT status FROM deliveries")).all() == ["pending"]


def test_a_finding_is_delivered_once_and_its_decision_follows_as_a_change(
    database: Database, ids: dict[str, Person]
) -> None:
    number = receive(database, ids["ben"])["f-1"]
    assert receive(database, ids["ben"], after=1) == {}
    publish(database, ids["ada"], HERS, finding("f-1", "Bread", "How short can autolyse be?"))
    assert receive(database, ids["ben"], after=1) == {}  # reworded: the same delivery
    decide(database, number, DISMISSED, ids["cy"])
    assert receive(database, ids["ben"], after=1) == {"f-1": number}


@pytest.mark.parametrize(
    ("topic", "question", "is_delivered"),
    [
        ("AUTOLYSE", "", True),
        ("Bread", "Why does an autolyse, or rest, help?", True),
        ("AI", "", True),
        ("Bread", "What can AI do?", False),  # two letters are too few for a question
        ("Bread", "What are autolysed yeasts?", False),
        ("Rye", "", False),  # the vault has this note
    ],
)
def test_a_gap_is_filled_by_what_is_about_it(
    database: Database, ids: dict[str, Person], topic: str, question: str, is_delivered: bool
) -> None:
    publish(database, ids["ada"], HERS, finding("f-2", topic, question))
    assert ("f-2" in receive(database, ids["ben"])) is is_delivered


def test_what_the_owner_may_not_read_is_not_delivered_and_nothing_to_its_own_vault(
    database: Database, ids: dict[str, Person]
) -> None:
    with database.begin() as connection:
        people = People(connection, "test")
        people.add_vault("ida's notes", "ida")
        people.grant(HIS, Grantee("ida"), Role.READER)
    wants = SharedNote(path="A.md", hash="1", wanted=("Autolyse",))
    publish(database, ids["ida"], "ida's notes", wants)
    assert receive(database, ids["ida"], "ida's notes") == {}
    publish(database, ids["ada"], HERS, wants)
    assert receive(database, ids["ada"], HERS) == {}


def test_what_is_withdrawn_or_no_gap_any_more_is_forgotten_but_a_decision_stays(
    database: Database, ids: dict[str, Person]
) -> None:
    publish(database, ids["ada"], HERS, finding("f-2", "Autolyse"), finding("f-3", "Autolyse"))
    numbers = receive(database, ids["ben"])
    decide(database, numbers["f-1"], ACCEPTED, ids["cy"])
    publish(database, ids["ada"], HERS, withdrawn=("Inbox/f-3",))
    assert receive(database, ids["ben"]).keys() == {"f-1", "f-2"}
    publish(database, ids["ben"], HIS, SharedNote(path="Bread/Rye.md", name="Rye", hash="2"))
    assert receive(database, ids["ben"]).keys() == {"f-1"}
    with database.begin() as connection:
        rows = connection.scalars(text("SELECT d::text FROM deliveries d")).all()
    assert rows
    assert not [row for row in rows if "Autolyse" in row or "Rye" in row]


def test_numbers_of_deliveries_do_not_say_how_many_there_are(
    database: Database, ids: dict[str, Person]
) -> None:
    publish(database, ids["ada"], HERS, *(finding(f"f-{at}", "Autolyse") for at in range(2, 12)))
    numbers = sorted(receive(database, ids["ben"]).values())
    assert len(numbers) == 11
    assert numbers[-1] > 1_000_000
    assert min(b - a for a, b in pairwise(numbers)) > 1
    with database.as_person(ids["ben"].id) as connection:
        newest = [each.finding.key for each in to_review(connection, 3)]
    publish(database, ids["ada"], HERS, finding("f-12", "Autolyse"))
    receive(database, ids["ben"])
    with database.as_person(ids["ben"].id) as connection:
        assert [each.finding.key for each in to_review(connection, 3)] == ["f-12", *newest[:2]]


def test_a_temporary_table_gives_nobody_rights(database: Database, ids: dict[str, Person]) -> None:
    with database.as_person(ids["ida"].id) as connection:
        connection.execute(
            text(
                "CREATE TEMPORARY TABLE grants AS SELECT 1::bigint AS vault_id, "
                f"{ids['ida'].id}::bigint AS person_id, NULL::bigint AS group_id, "
                "''::text AS folder, 'owner'::text AS role"
            )
        )
        assert connection.scalar(text("SELECT count(*) FROM granted()")) == 0
        connection.rollback()
