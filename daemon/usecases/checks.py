"""Check everything that the daemon depends on."""

from collections.abc import Callable, Iterable
from contextlib import closing

from pydantic import Field

from daemon.app import App
from daemon.composition import open_app
from daemon.doctor import Check, examine, fix, not_opened
from daemon.model.clock import now
from daemon.model.errors import LacunaError
from daemon.store.reporter import SILENT, Reporter
from daemon.usecases.check_results import CheckResult, CheckResults
from daemon.usecases.document import Request
from daemon.usecases.place import Place, settings_of
from vault_adapters.base import VaultError


class ChecksRequest(Request):
    """Whether to fix what can be fixed first."""

    fix: bool = Field(default=False, description="Make the faster copy of the model, if needed.")


def checks(
    place: Place,
    request: ChecksRequest,
    warn: Callable[[str], None],
    report: Reporter = SILENT,
) -> CheckResults:
    """Check the vault; if it cannot even be opened, report that.

    `warn` gets lines about what is fixed. A failure of that is reported there or by the checks.
    """
    try:
        app = open_app(settings_of(place), config=place.config)
    except (LacunaError, VaultError) as error:
        return _document(not_opened(error))
    with closing(app):
        if request.fix:
            _fix(app, place, warn)
        with report.step("checks") as progress:
            return _document(examine(app, progress, now=now(), config=place.config))


def _fix(app: App, place: Place, warn: Callable[[str], None]) -> None:
    warn("checking for a faster embedding backend; this may take half a minute")
    try:
        for done in fix(app, now=now(), config=place.config):
            warn(done)
    except LacunaError as error:
        warn(str(error))


def _document(found: Iterable[Check]) -> CheckResults:
    return CheckResults(
        tuple(
            CheckResult(name=each.name, verdict=each.verdict, what=each.what, hint=each.hint)
            for each in found
        )
    )
