"""Internals in `lacuna status`: memory, recent errors, waiting notices."""

from collections.abc import Iterator

from daemon.model.request import RequestState
from daemon.model.wording import counted, moment, time_left
from daemon.usecases.activities import GivenCommand
from daemon.usecases.status import Heartbeat, Status, WaitingNotice

_MEGA = 1_000_000
_FULL_MB = 20  # free, below which hardly anything can be written
_SHOWN = 5  # notices that wait


def memory_line(beat: Heartbeat) -> str:
    """Return the memory of the daemon and its children, or "" if the system does not report it."""
    if not beat.memory:
        return ""
    own = f"{beat.memory / _MEGA:.0f} MB of memory"
    if not beat.children:
        return own
    word = "child process" if beat.children == 1 else "child processes"
    return f"{own}, and {beat.children_memory / _MEGA:.0f} MB in {beat.children} {word}"


def diagnostic_lines(found: Status) -> Iterator[tuple[str, str]]:
    """Yield (label, line) of a full disk, of recent errors, and of notices that wait."""
    if found.disk_free_mb < _FULL_MB:
        free = f"only {found.disk_free_mb} MB free in {found.state}"
        yield "disk", f"full: {free}; work continues when there is space"
    for number, each in enumerate(found.troubles):
        often = f" ({each.times} times)" if each.times > 1 else ""
        over = ", over since" if each.over_at else ""
        line = f"{moment(each.last_at)}{often}{over}: {each.part}: {each.line}"
        yield ("errors" if number == 0 else "", line)
    waiting = found.notices_waiting
    for number, notice in enumerate(waiting[:_SHOWN]):
        yield ("notices" if number == 0 else "", _waiting_notice(notice))
    if len(waiting) > _SHOWN:
        yield ("", f"and {counted(len(waiting) - _SHOWN, 'more notice')}")


def activity_lines(found: Status) -> Iterator[tuple[str, str]]:
    """Yield (label, line) of what is being done, how far it is, and of commands that wait."""
    label = "doing"
    for each in found.activities:
        far = f" {each.done} of {each.total}" if each.done is not None else ""
        what = f": {each.what}" if each.what not in ("", each.step) else ""
        yield label, f"{each.step}{far}{time_left(each.seconds_left)}{what}"
        label = ""
    label = "commands"
    for given in found.commands:
        yield label, _queued_command(given)
        label = ""


def _queued_command(given: GivenCommand) -> str:
    line = f"{given.name}, given {moment(given.given)}"
    match given.state:
        case RequestState.NEW:
            return f"{line}: waits"
        case RequestState.WORKING:
            again = f", attempt {given.attempts}" if given.attempts > 1 else ""
            return f"{line}: is carried out{again}"
        case _:
            return f"{line}: {given.error}"


def _waiting_notice(notice: WaitingNotice) -> str:
    why = (
        f" after {counted(notice.tries, 'try', 'tries')}: {notice.trouble}" if notice.tries else ""
    )
    return f"{notice.kind} waits for {notice.channel}{why}"
