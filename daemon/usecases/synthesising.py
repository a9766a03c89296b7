"""A short text from what was found, by a model of the user's if one may read it."""

from collections.abc import Sequence
from functools import partial

from daemon.app import App
from daemon.model.language_models import Role
from daemon.model.written import Quoted, Written
from daemon.usecases.following import Follower
from daemon.writers import build_synthesis, role_states

SECONDS = 60.0  # for one text, whatever models are tried


def written(
    app: App,
    question: str,
    quoted: Sequence[Quoted],
    follower: Follower,
    *,
    of_notes: bool,
    is_report: bool = False,
) -> Written | None:
    """Return a text on a question; None without a writer, or with nothing to write from.

    A text of notes is written on this machine, unless `asking.remote_writer` allows another one.
    Raises StoppedError.
    """
    synthesis = build_synthesis(app.settings.models, app.research.models, app.children.reranker)
    if synthesis is None or not quoted:
        return None
    with follower.report.step("write", counts={"sentences": len(quoted)}):
        allowed = _allowed(app, of_notes=of_notes)
        seconds = app.settings.models.call_seconds if is_report else SECONDS
        return synthesis.write(
            question,
            quoted,
            allowed,
            seconds=seconds,
            stop=follower.stop,
            on_event=partial(follower.report.state, "write", 0, 1),
            is_report=is_report,
        )


def _allowed(app: App, *, of_notes: bool) -> set[Role]:
    """Return the roles whose model may read the text."""
    may_leave = not of_notes or app.settings.asking.remote_writer
    states = role_states(app.settings.models, app.secrets)
    on = (each for each in states if each.provider and not each.why)
    return {each.role for each in on if may_leave or not each.is_remote}
