"""How the daemon ends, so that whoever guards it starts it again or does not."""

from pathlib import Path

import pytest

from daemon.cli.options import Options
from daemon.confinement.confine import Confinement
from daemon.confinement.guard import RENEW
from daemon.host import serving
from daemon.model.errors import CorruptStoreError, StoreError, UnreadableStoreError


@pytest.mark.parametrize("trouble", [CorruptStoreError, UnreadableStoreError])
def test_trouble_with_the_state_has_the_guard_start_the_daemon_again(
    trouble: type[StoreError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def watch(*_: object) -> None:
        raise trouble("lacuna.db: the disk does not answer")

    monkeypatch.setattr(serving, "_watch", watch)
    with pytest.raises(SystemExit) as ended:
        serving.serve(Options(), Confinement("", Path("vault")), lambda *_: None)
    assert ended.value.code == RENEW
    with pytest.raises(trouble):  # nobody guards a process that could not be confined
        serving.serve(Options(), Confinement("this kernel has no Landlock"), lambda *_: None)
