"""Topics that none or several of the vaults cover that a person may read."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Table, func, select

from daemon.hub.readable import readable
from daemon.hub.tables import notes, vaults, wanted

_WANT = 2  # notes that link to a name, in one vault or in several, for it to be a gap


@dataclass(frozen=True, slots=True)
class SharedName:
    """A name, the vaults in which it occurs, and the number of notes."""

    name: str
    vaults: tuple[str, ...]
    notes: int


class SharedGaps:
    """Gaps on a connection of `Database.as_person`. Case does not matter in names."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def missing(self, limit: int) -> list[SharedName]:
        """Return names that notes link to and no readable note has: of most vaults first."""
        there = (
            select(notes.c.id)
            .where(notes.c.id.in_(readable(notes)))
            .where(func.lower(notes.c.name) == func.lower(wanted.c.name))
            .exists()
        )
        number = func.count(wanted.c.note_id.distinct())
        return self._names(wanted, number, ~there, number >= _WANT, limit)

    def doubled(self, limit: int) -> list[SharedName]:
        """Return names that notes of several vaults have: of most vaults first."""
        several = func.count(notes.c.vault_id.distinct()) > 1
        return self._names(notes, func.count(), notes.c.name.is_not(None), several, limit)

    def _names(
        self,
        table: Table,
        number: ColumnElement[int],
        where: ColumnElement[bool],
        of_groups: ColumnElement[bool],
        limit: int,
    ) -> list[SharedName]:
        name, places = func.min(table.c.name), func.array_agg(vaults.c.name.distinct())
        rows = self._connection.execute(
            select(name, places, number)
            .select_from(table.join(vaults, vaults.c.id == table.c.vault_id))
            .where(table.c.id.in_(readable(table)), where)
            .group_by(func.lower(table.c.name))
            .having(of_groups)
            .order_by(func.count(table.c.vault_id.distinct()).desc(), number.desc(), name)
            .limit(limit)
        )
        return [SharedName(name, tuple(places), number) for name, places, number in rows]
