"""Which rows somebody may read: the same rule as row-level security, stated twice."""

from sqlalchemy import Select, Table, and_, func, or_, select


def readable(table: Table) -> Select[tuple[int]]:
    """Select the ids of the rows of notes, chunks or wanted names that may be read."""
    granted = func.granted().table_valued("vault_id", "folder", "role").alias("g")
    whole = select(granted.c.vault_id).where(granted.c.folder == "")
    in_folder = func.starts_with(table.c.path, granted.c.folder + "/")
    part = select(granted.c.vault_id).where(granted.c.folder != "")
    there = part.where(granted.c.vault_id == table.c.vault_id, in_folder).exists()
    return select(table.c.id).where(
        or_(table.c.vault_id.in_(whole), and_(table.c.vault_id.in_(part), there))
    )
