"""Results of checks, and getting them from a process of its own."""

import subprocess

from pydantic import Field, ValidationError

from daemon.child_environment import WITH_KEYS
from daemon.model.check_verdict import Verdict
from daemon.model.errors import LacunaError
from daemon.service.manager import running_command
from daemon.usecases.document import Document, ListDocument
from daemon.usecases.place import Place

_PATIENCE = 120.0  # seconds


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
