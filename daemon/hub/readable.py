"""Which rows somebody may read: the same rule as row-level security, stated twice."""

from collections.abc import Collection

from sqlalchemy import Select, Table, and_, func, or_, select

from daemon.hub.members import Role

REVIEWERS = (Role.REVIEWER, Role.OWNER)


def readable(table: Table, roles: Collection[Role] = tuple(Role)) -> Select[tuple[int]]:
    """Select the ids of the rows, by their vault and path, that may be read with one of the roles:
    of notes, chunks, wanted names, findings or deliveries.
    """
    granted = func.granted().table_valued("vault_id", "folder", "role").alias("g")
    has_role = granted.c.role.in_(roles)
    whole = select(granted.c.vault_id).where(granted.c.folder == "", has_role)
    in_folder = func.starts_with(table.c.path, granted.c.folder + "/")
    part = select(granted.c.vault_id).where(granted.c.folder != "", has_role)
    there = part.where(granted.c.vault_id == table.c.vault_id, in_folder).exists()
    return select(table.c.id).where(
        or_(table.c.vault_id.in_(whole), and_(table.c.vault_id.in_(part), there))
    )
