"""How often somebody may ask: a rate with bursts, counted in the database for all servers.

The generic cell rate algorithm (ITU-T I.371): one row for each person, with the time at which the
next request would be due at a steady rate. A request is refused if that time is further ahead than
the burst allows. The time is the database's: the servers' clocks do not matter.
"""

from dataclasses import dataclass
from math import ceil

from sqlalchemy import Connection, text

from daemon.hub.members import Person, Role


@dataclass(frozen=True, slots=True)
class Rate:
    """Requests per minute, and the size of a burst."""

    per_minute: int
    burst: int


RATES = {Role.READER: Rate(10, 20), Role.REVIEWER: Rate(30, 60), Role.OWNER: Rate(60, 120)}

_HIT = text("""
INSERT INTO rates AS r (person_id, due_at) VALUES (:person, now() + :step * interval '1 second')
ON CONFLICT (person_id) DO UPDATE
SET due_at = greatest(r.due_at, now()) + :step * interval '1 second'
WHERE greatest(r.due_at, now()) + :step * interval '1 second'
      <= now() + :most * interval '1 second'
RETURNING 1
""")
_WAIT = text("""
SELECT extract(epoch FROM due_at - now()) + :step - :most FROM rates WHERE person_id = :person
""")


def seconds_to_wait(connection: Connection, person: Person, rate: Rate) -> int:
    """Count a request; return 0, or the seconds until the next one if it is one too many."""
    step = 60 / rate.per_minute
    values = {"person": person.id, "step": step, "most": step * rate.burst}
    if connection.execute(_HIT, values).first() is not None:
        return 0
    seconds: float = connection.execute(_WAIT, values).scalar_one()
    return max(1, ceil(seconds))
