"""A hub that is replaced by a restored backup: vaults send what it lacks."""

from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.hub.database import Database
from daemon.hub.deliveries import decide
from daemon.hub.dumps import dump, restore
from daemon.model.errors import HubConflictError
from daemon.model.finding import FindingStatus
from tests.fakes.hub_site import serving
from tests.fakes.postgres import database, empty, programs, server
from tests.unit.host.test_publishing import Host, host, receiver

__all__ = ["database", "empty", "host", "receiver", "server"]  # fixtures


def test_a_vault_catches_up_with_a_restored_backup_in_notes_and_decisions(
    host: tuple[Host, ExitStack],
    receiver: Host,
    empty: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(programs(empty)), prepend=":")
    _, running = host
    dump(receiver.database, tmp_path / "hub.dump")
    # After the backup: an edit, a new note, a deleted one, and a decision in the vault.
    receiver.write("Shared/Rye.md", "# Rye\n\nFirst an [[Autolyse]], then salt.\n")
    receiver.write("Shared/Oats.md", "# Oats\n\nNo gluten.\n")
    (receiver.folder / "Shared/Bread.md").unlink()
    [(path, text)] = receiver.inbox.items()
    (receiver.folder / path).write_text(text.replace("[ ] Accept", "[x] Accept"))
    receiver.exchange()
    receiver.exchange()
    published, decided = receiver.published, receiver.on_hub()[0]
    assert published.keys() == {"Shared/Rye.md", "Shared/Oats.md"}
    assert (decided.status, decided.decided_by) == (FindingStatus.ACCEPTED, "ada")
    running.close()
    receiver.database = again = Database(empty)
    restore(again, tmp_path / "hub.dump")
    assert receiver.published.keys() == {"Shared/Rye.md", "Shared/Bread.md"}
    assert receiver.on_hub()[0].status is FindingStatus.PENDING
    with serving(empty, int(receiver.address.rpartition(":")[2])):
        receiver.now += timedelta(hours=1)
        receiver.exchange()
        receiver.exchange()
        assert receiver.published == published
        found, cy = receiver.on_hub()
        assert (found.status, found.decided_by) == (FindingStatus.ACCEPTED, "ada")
        assert len(receiver.inbox) == 1  # not delivered a second time
        with pytest.raises(HubConflictError, match="ada accepted it"):
            decide(again, found.id, FindingStatus.DISMISSED, cy)
    again.close()
