"""What the user's hooks removed from a run: stored with it, so that a replay needs no hook."""

from dataclasses import asdict

from daemon.model.errors import ReplayError
from daemon.model.hook_event import Verdict
from daemon.ports import RunFiles
from daemon.store.run_files import read_json, write_json

HOOKS = "hooks.json"


class HookRecord:
    """`hooks.json` of one run folder; missing if no hook changed the run.

    Raises StoreError if it cannot be written, ReplayError if it cannot be read.
    """

    def __init__(self, files: RunFiles) -> None:
        self._files = files
        self._verdicts: dict[str, Verdict] = {}
        if files.has(HOOKS):
            self._verdicts = _from_json(files)

    def get(self, moment: str) -> Verdict | None:
        """Return the hook's answer at this moment of the run, or None if no hook ran."""
        return self._verdicts.get(moment)

    def keep(self, moment: str, verdict: Verdict) -> None:
        self._verdicts[moment] = verdict
        write_json(self._files, HOOKS, {key: asdict(each) for key, each in self._verdicts.items()})

    def dropped(self, *moments: str) -> dict[str, str]:
        """Return id → why it was removed, over several moments."""
        found: dict[str, str] = {}
        for moment in moments:
            found.update(self._verdicts.get(moment, Verdict()).dropped)
        return found

    def remarks(self) -> tuple[str, ...]:
        """Return all remarks of the run, each once, in the order of the moments' names."""
        verdicts = (
            line for moment in sorted(self._verdicts) for line in self._verdicts[moment].remarks
        )
        return tuple(dict.fromkeys(verdicts))


def _from_json(files: RunFiles) -> dict[str, Verdict]:
    try:
        return {
            str(moment): Verdict(
                dropped={str(id_): str(why) for id_, why in body["dropped"].items()},
                notes={str(id_): str(text) for id_, text in body["notes"].items()},
                remarks=tuple(map(str, body["remarks"])),
            )
            for moment, body in read_json(files, HOOKS).items()
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise ReplayError(f"{files.locate(HOOKS)} was not written by a run: {error!r}") from None
