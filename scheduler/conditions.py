"""Conditions that make a due job wait: quiet hours, the network, the battery. Pure.

Unknown conditions (no battery, a system that does not report one) never make a job wait.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum

_BUSY = 3.0  # load per core; the embedding process itself adds at most one
_PATIENCE = timedelta(minutes=5)


class Network(StrEnum):
    """The state of the network."""

    UNKNOWN = "unknown"
    FREE = "free"
    METERED = "metered"
    PORTAL = "portal"  # a page to log in at stands in front of it
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The state of the machine. `battery_percent` is set only while it runs on battery.

    `load` is the mean number of processes per core that ran or waited in the last minute.
    """

    network: Network = Network.UNKNOWN
    battery_percent: int | None = None
    load: float | None = field(default=None, compare=False)

    @property
    def is_busy(self) -> bool:
        """Whether other work keeps the processors busy."""
        return self.load is not None and self.load > _BUSY


@dataclass(frozen=True, slots=True)
class Rules:
    """The configured conditions. Quiet hours begin and end at local times; None, or equal times,
    means none.
    """

    quiet_from: time | None = None
    quiet_to: time | None = None
    battery_min_percent: int = 0
    waits_when_metered: bool = True
    waits_when_offline: bool = True


@dataclass(frozen=True, slots=True)
class Wait:
    """Why something waits, as the end of a sentence after "waits:", and until when, if known."""

    why: str
    until: datetime | None = None


def waits(
    rules: Rules,
    surroundings: Surroundings,
    now: datetime,
    zone: tzinfo,
    *,
    needs_network: bool,
    is_asked: bool = False,
) -> Wait | None:
    """Return what a job has to wait for at `now`, or None if it may run.

    Work that the user requested (`is_asked`) waits only for a network.
    """
    until = None if is_asked else quiet_until(now, zone, rules.quiet_from, rules.quiet_to)
    if until is not None:
        return Wait(f"quiet hours until {until.astimezone(zone):%H:%M}", until)
    percent = surroundings.battery_percent
    if not is_asked and percent is not None and percent < rules.battery_min_percent:
        return Wait(f"the battery is at {percent} %, less than {rules.battery_min_percent} %")
    why = _network(rules, surroundings.network, is_asked=is_asked) if needs_network else ""
    return Wait(why) if why else None


def waits_to_compute(
    rules: Rules, surroundings: Surroundings, busy_for: timedelta = timedelta(0)
) -> Wait | None:
    """Return what long work on this machine has to wait for, or None if it may continue.

    It waits for a charger, and a few minutes for other work: `busy_for` is how long the machine has
    been busy.
    """
    percent = surroundings.battery_percent
    if percent is not None and rules.battery_min_percent:
        return Wait(f"the machine runs on its battery ({percent} %)")
    if surroundings.is_busy and busy_for < _PATIENCE:
        return Wait(f"the machine is busy (load {surroundings.load:.1f} per core)")
    return None


def _network(rules: Rules, network: Network, *, is_asked: bool) -> str:
    if rules.waits_when_offline and network is Network.ABSENT:
        return "there is no network"
    if rules.waits_when_offline and network is Network.PORTAL:
        return "the network wants you to log in first"
    is_dear = rules.waits_when_metered and network is Network.METERED and not is_asked
    return "the network is metered" if is_dear else ""


def quiet_until(
    now: datetime, zone: tzinfo, begin: time | None, end: time | None
) -> datetime | None:
    """Return when the current quiet hours end (UTC), or None outside of them."""
    if begin is None or end is None or begin == end:
        return None
    local = now.astimezone(zone)
    shown = local.time()
    is_quiet = begin <= shown < end if begin < end else shown >= begin or shown < end
    if not is_quiet:
        return None
    day = local.date() + timedelta(days=1 if shown >= end else 0)
    over_at = datetime.combine(day, end, tzinfo=zone).astimezone(UTC)
    # When summer time ends, an end may come twice: between the two, the second one counts.
    return over_at if over_at > now else over_at.astimezone(zone).replace(fold=1).astimezone(UTC)
