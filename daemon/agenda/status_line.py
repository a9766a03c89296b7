"""The first line of an agenda: when it runs and how to stop it, or its outcome. Pure."""

from datetime import UTC, datetime, tzinfo

from daemon.model.agenda import NIGHTLY, Agenda, AgendaStatus
from vault_adapters.inert import inert_line

_STOP_OR_RUN = "To stop it, set `status: cancelled`; to run it now, set `status: approved`."


def when_line(agenda: Agenda, tz: tzinfo = UTC, *, digest: str = "", outcome: str = "") -> str:
    """Return when this runs and how to stop it, or its outcome.

    `digest` is a wikilink, `outcome` what is known without a digest, in sentences.
    """
    match agenda.status:
        case AgendaStatus.PROPOSED:
            return _proposed_line(agenda, tz)
        case AgendaStatus.WAITING:
            return f"{_waiting_line(agenda, tz)} {outcome}".rstrip()
        case AgendaStatus.FAILED:
            return f"{_failed_line(agenda)} {outcome}".rstrip()
        case AgendaStatus.DONE:
            return _done_line(digest, outcome)
        case AgendaStatus.CANCELLED if agenda.is_refused or outcome:
            return f"Cancelled; {outcome or inert_line(agenda.trouble)}"
        case _:
            return _PLAIN[agenda.status]


_PLAIN = {
    AgendaStatus.APPROVED: "Approved; it runs next.",
    AgendaStatus.RUNNING: "Running now.",
    AgendaStatus.CANCELLED: "Cancelled; nothing was searched for.",
}


def _proposed_line(agenda: Agenda, tz: tzinfo) -> str:
    if agenda.runs_at is None:
        return "Waiting for you: tick *Run this agenda*, or set `status: approved`."
    if agenda.runs_at <= agenda.created_at:
        return "Runs now."
    return f"Starts automatically {_moment(agenda.runs_at, tz)}. {_STOP_OR_RUN}"


def _waiting_line(agenda: Agenda, tz: tzinfo) -> str:
    why = _sentence(agenda.trouble)
    if agenda.runs_at is None:
        return f"{why}."
    retry = f"trying again {_moment(agenda.runs_at, tz)}, or when the network is back"
    return f"{why}; {retry}. {_STOP_OR_RUN}"


def _failed_line(agenda: Agenda) -> str:
    if agenda.schedule == NIGHTLY:
        return f"{_sentence(agenda.trouble)}. Its questions stay in the queue for the next night."
    tries = f"{agenda.tries} attempts" if agenda.tries > 1 else "1 attempt"
    return (
        f"{_sentence(agenda.trouble)}. Gave up after {tries}. To try again, run"
        f" `lacuna agenda approve {agenda.id}`."
    )


def _done_line(digest: str, outcome: str) -> str:
    if outcome:
        return f"Done; {outcome}"
    return f"Done; the results are in {digest}." if digest else "Done."


def _sentence(text: str) -> str:
    line = inert_line(text)
    return f"{line[:1].upper()}{line[1:]}"


def _moment(at: datetime, tz: tzinfo) -> str:
    local = at.astimezone(tz)
    return f"on {local:%A} {local.day} {local:%B} at {local:%H:%M}"
