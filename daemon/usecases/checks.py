"""Check everything that the daemon depends on."""

import subprocess
from collections.abc import Callable, Iterable
from contextlib import closing

from pydantic import Field, ValidationError

from daemon.app import App
from daemon.child_environment import WITH_KEYS
from daemon.composition import open_app
from daemon.doctor import Check, Verdict, examine, fix, not_opened
from daemon.model.clock import now
from daemon.model.errors import LacunaError
from daemon.service.manager import running_command
from daemon.store.reporter import SILENT, Reporter
from daemon.usecases.document import Document, ListDocument, Request
from daemon.usecases.place import Place, settings_of
from vault_adapters.base import VaultError

_PATIENCE = 120.0  # seconds


class ChecksRequest(Request):
    """Whether to fix what can be fixed first."""

    fix: bool = Field(default=False, description="Make the faster copy of the model, if needed.")


class CheckResult(Document):
    """The result of one check."""

    name: str = Field(description="Name of the check.")
    verdict: Verdict = Field(description="The result.")
    what: str = Field(description="What was found.")
    hint: str = Field(description='The command that fixes a problem, or "".')


class CheckResults(ListDocument[CheckResult]):
    """The results of all checks, in order."""

    @property
    def has_failed(self) -> bool:
        """Whether a check failed."""
        return any(each.verdict is Verdict.FAIL for each in self.root)


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


def checks_apart(place: Place) -> CheckResults:
    """Check the vault by `lacuna doctor` in a process of its own: the checks load models and all
    libraries, whose memory a server would not get back.

    Raises LacunaError.
    """
    folders = {"--vault": place.vault, "--state": place.state, "--config": place.config}
    given = [part for name, path in folders.items() if path for part in (name, str(path))]
    command = [str(running_command()), "doctor", "--json", *given]
    try:
        done = subprocess.run(
            command, env=dict(WITH_KEYS), capture_output=True, timeout=_PATIENCE, check=False
        )
        return CheckResults.model_validate_json(done.stdout)
    except subprocess.TimeoutExpired:
        raise LacunaError(f"the checks did not end within {_PATIENCE:.0f} s") from None
    except (OSError, ValidationError):
        raise LacunaError("the checks failed: run `lacuna doctor`") from None


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
