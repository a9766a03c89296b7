"""How often somebody may ask: a sliding window with bursts, counted for all servers together.

Two limits in one statement on one row for each person. In any minute there are at most as many
requests as the burst allows: the row has the times of those of the last minute. And in the long run
there are at most as many as the rate allows (generic cell rate algorithm, ITU-T I.371): the row has
the time at which the next request would be due at a steady rate. The time is the database's: the
servers' clocks do not matter.
"""

from dataclasses import dataclass
from math import ceil

from sqlalchemy import Connection, text

from daemon.hub.members import Person, Role


@dataclass(frozen=True, slots=True)
class Rate:
    """Requests per minute in the long run, and at most in any one minute."""

    per_minute: int
    burst: int


RATES = {Role.READER: Rate(10, 20), Role.REVIEWER: Rate(30, 60), Role.OWNER: Rate(60, 120)}

# `recent` has the times of the last minute, the oldest first.
_HIT = text("""
INSERT INTO rates AS r (person_id, due_at, recent)
VALUES (:person, now() + :step * interval '1 second', ARRAY[now()])
ON CONFLICT (person_id) DO UPDATE SET
  due_at = greatest(r.due_at, now()) + :step * interval '1 second',
  recent = array_append(array(
    SELECT at FROM unnest(r.recent) AS at WHERE at > now() - interval '1 minute' ORDER BY at
  ), now())
WHERE greatest(r.due_at, now()) + :step * interval '1 second' <= now() + :most * interval '1 second'
  AND (SELECT count(*) FROM unnest(r.recent) AS at WHERE at > now() - interval '1 minute') < :burst
RETURNING 1
""")
_WAIT = text("""
SELECT greatest(
  extract(epoch FROM due_at - now()) + :step - :most,
  extract(epoch FROM (
    SELECT at FROM unnest(recent) AS at ORDER BY at DESC OFFSET :burst - 1 LIMIT 1
  ) + interval '1 minute' - now())
) FROM rates WHERE person_id = :person
""")


def seconds_to_wait(connection: Connection, person: Person, rate: Rate) -> int:
    """Count a request; return 0, or the seconds until the next one if it is one too many."""
    step = 60 / rate.per_minute
    values = {"person": person.id, "step": step, "most": step * rate.burst, "burst": rate.burst}
    if connection.execute(_HIT, values).first() is not None:
        return 0
    seconds: float = connection.execute(_WAIT, values).scalar_one()
    return max(1, ceil(seconds))
