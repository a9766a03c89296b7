"""The lists of notes behind the numbers of the health."""

from enum import StrEnum


class HealthList(StrEnum):
    """The lists; each is the number of the same name."""

    NOTES = "notes"
    LINKS = "links"
    ISOLATED = "isolated"
    UNREFERENCED = "unreferenced"
    UNRESOLVED = "unresolved"
    CLUSTERS = "clusters"
    STALE = "stale"
    CONFLICTS = "conflicts"
    TROUBLES = "troubles"
    GAPS = "gaps"
