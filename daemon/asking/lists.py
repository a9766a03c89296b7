"""What leads to a list or to code. Pure."""

import re

_LEADS = re.compile(r"[:：]\W*$")


def leads(statement: str) -> bool:
    """Return whether a statement leads to what is below it."""
    return _LEADS.search(statement) is not None
