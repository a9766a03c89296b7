"""Whatever a command makes in the state is for the user alone."""

import os
from pathlib import Path

from tests.fakes.cli import Cli


def modes(state: Path) -> set[str]:
    """The modes of the folders and files that others may use."""
    paths = [state, *state.rglob("*")]
    return {f"{path}: {path.stat().st_mode:o}" for path in paths if path.stat().st_mode & 0o077}


def test_the_state_is_private_whatever_the_umask_is(ready: Cli) -> None:
    before = os.umask(0)
    try:
        ready("index")
        state = Path(ready("status", "--json").json["state"])
        assert (state / "lacuna.db").stat().st_mode & 0o777 == 0o600
        assert modes(state) == set()
        state.chmod(0o755)  # as an older version made it
        (state / "lacuna.db").chmod(0o644)
        assert "other users could use 2 files and folders" in ready("index").err
        assert modes(state) == set()
    finally:
        os.umask(before)
