"""A hub that is away for an hour: vaults change meanwhile, lose nothing, and send nothing twice."""

from contextlib import ExitStack
from datetime import timedelta

from sqlalchemy import text

from daemon.model.finding import FindingStatus
from daemon.model.progress import no_progress
from daemon.usecases.hub import publish_changes
from tests.fakes.hub_site import serving
from tests.fakes.postgres import database, server
from tests.unit.host.test_publishing import Host, host, receiver

__all__ = ["database", "host", "receiver", "server"]  # fixtures

MINUTES = 60


def change(made: Host, minute: int) -> None:
    """Write a note every ten minutes, edit one, and delete one that the hub has."""
    if minute % 10 == 5:
        made.write(f"Shared/Of minute {minute}.md", f"# Minute {minute}\n\nSponge {minute}.\n")
        made.write("Shared/Rye.md", f"# Rye\n\nFirst an [[Autolyse]], then {minute} g salt.\n")
    if minute == 30:
        (made.folder / "Shared/Bread.md").unlink()
        made.write("Shared/Of minute 5.md", "# Minute 5\n\nChanged before it was ever sent.\n")
    if minute == 40:
        [(path, note)] = made.inbox.items()
        (made.folder / path).write_text(note.replace("[ ] Accept", "[x] Accept"))
        made.app.index.knowledge.sync(now=made.now)
        made.app.review.reviews.take(made.now)


def stored(made: Host) -> list[tuple[str, str]]:
    """Return paths and texts of all passages of the vault on the hub."""
    with made.database.begin() as connection:
        rows = connection.execute(
            text("""
            SELECT c.path, c.text FROM chunks c JOIN vaults v ON v.id = c.vault_id
            WHERE v.name = 'ada''s notes' AND c.path LIKE 'Shared/%' ORDER BY c.path, c.place
            """)
        )
        return [(path, said.partition("\n\n")[2] or said) for path, said in rows]


def test_after_an_hour_without_a_hub_it_has_each_note_as_it_is_now_once(
    host: tuple[Host, ExitStack], receiver: Host
) -> None:
    _, running = host
    before = receiver.published
    running.close()
    tries = 0
    for minute in range(MINUTES):
        receiver.now += timedelta(minutes=1)
        change(receiver, minute)
        tries += receiver.turn()
    assert receiver.published == before
    assert 6 <= tries <= 12  # it is tried on, and not all the time
    with serving(receiver.database.url, int(receiver.address.rpartition(":")[2])):
        receiver.now = receiver.publishing.next_at
        assert receiver.turn()
        notes = {f"Shared/Of minute {each}.md" for each in range(5, MINUTES, 10)}
        assert receiver.published.keys() == {"Shared/Rye.md", *notes}
        receiver.exchange()
        found, _ = receiver.on_hub()
        assert (found.status, found.decided_by) == (FindingStatus.ACCEPTED, "ada")
        assert len(receiver.inbox) == 1
        assert publish_changes(receiver.app, no_progress, compare=True).sent == 0
    passages = dict(stored(receiver))
    assert len(stored(receiver)) == len(passages) == len(notes) + 1
    assert "then 55 g salt" in passages["Shared/Rye.md"]
    assert "ever sent" in passages["Shared/Of minute 5.md"]
    assert "Sponge 45." in passages["Shared/Of minute 45.md"]
