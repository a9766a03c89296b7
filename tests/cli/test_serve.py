"""How the daemon ends, so that whoever guards it starts it again or does not."""

from pathlib import Path

import pytest

from daemon.cli import serve as module
from daemon.cli.options import Options
from daemon.confinement.confine import Confinement
from daemon.confinement.guard import RENEW
from daemon.model.errors import CorruptStoreError, StoreError, UnreadableStoreError


@pytest.mark.parametrize("trouble", [CorruptStoreError, UnreadableStoreError])
def test_trouble_with_the_state_has_the_guard_start_the_daemon_again(
    trouble: type[StoreError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def look_after(*_: object) -> None:
        raise trouble("lacuna.db: the disk does not answer")

    monkeypatch.setattr(module, "_look_after", look_after)
    with pytest.raises(SystemExit) as ended:
        module.serve(Options(), Confinement("", Path("vault")))
    assert ended.value.code == RENEW
    with pytest.raises(trouble):  # nobody guards a process that could not be confined
        module.serve(Options(), Confinement("this kernel has no Landlock"))
