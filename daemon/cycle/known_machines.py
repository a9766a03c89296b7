"""The machines that share a vault, as their notes name them."""

from collections import Counter
from datetime import tzinfo

from daemon.cycle.knowledge import Knowledge
from daemon.findings.machine_note import read_claim, read_machine
from daemon.model.machine import Claim, Machine


class KnownMachines:
    """Reads the notes of all machines by the index; `id` and `name` are those of this one.

    With `is_on` False no other is known.
    """

    def __init__(
        self, knowledge: Knowledge, id_: str, name: str, *, tz: tzinfo, is_on: bool = True
    ) -> None:
        self.id = id_
        self.name = name
        self.is_on = is_on
        self._knowledge = knowledge
        self._tz = tz

    def all(self) -> list[Machine]:
        """Return the machine of each note; a machine has several where a sync made copies."""
        rows = self._knowledge.notes.with_property("beat")
        return [each for row in rows if (each := read_machine(row.frontmatter)) is not None]

    def others(self) -> list[Machine]:
        """Return the other machines, each by its latest note: a copy counts equally."""
        latest: dict[str, Machine] = {}
        for each in self.all():
            known = latest.get(each.id)
            if each.id != self.id and (known is None or known.beat < each.beat):
                latest[each.id] = each
        return list(latest.values())

    def claims(self) -> list[Claim]:
        """Return what the agendas of other machines claim."""
        rows = self._knowledge.notes.with_property("term")
        claims = (read_claim(row.frontmatter, self._tz) for row in rows)
        return [each for each in claims if each is not None and each.machine != self.id]

    def label(self, id_: str) -> str:
        """Return a machine's name, with the beginning of its id if two have the same."""
        names = {self.id: self.name} | {each.id: each.name for each in self.others()}
        name = names.get(id_, id_)
        is_shared = Counter(names.values())[name] > 1
        return f"{name} {id_.removeprefix('m-')[:4]}" if is_shared else name

    def suffix(self) -> str:
        """Return what distinguishes the names of this machine's notes, or ""."""
        return f" {self.label(self.id)}" if self.is_on and self.others() else ""
