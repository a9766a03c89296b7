"""The REST interface keeps what its description promises: generated requests find no difference.

`make test` sends a few requests to each operation; LACUNA_LONG_TESTS=1 runs the command of
schemathesis, with all of its checks and phases and a hundred examples of each operation.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok

from tests.fakes.cli import Cli
from tests.fakes.web_site import TOKEN, Site, serving_vault

IS_LONG = bool(os.environ.get("LACUNA_LONG_TESTS"))
EXAMPLES = 2  # of each kind, for each operation
ENDLESS = "/api/v1/events"  # its answer has no end
SLOW = "/api/v1/doctor"  # a process of its own for each answer
# Refused: what is too long is refused before it is read.
REFUSED = ["400", "401", "403", "404", "405", "408", "409", "413", "415", "421", "422", "429"]
ACCEPTED = ["2xx", "401", "403", "404", "409", "429"]
CONFIG = {
    "seed": 1,
    "checks": {
        "negative_data_rejection": {"expected-statuses": REFUSED},
        "positive_data_acceptance": {"expected-statuses": ACCEPTED},
    },
}
SENT = {"Authorization": f"Bearer {TOKEN}"}


def operations(site: Site) -> list[Any]:
    """Return the operations that the description of a server names."""
    described = site.program("GET", "/api/v1/openapi.json").json
    config = {**CONFIG, "base-url": f"http://127.0.0.1:{site.port}"}
    schema = schemathesis.openapi.from_dict(described, config=SchemathesisConfig.from_dict(config))
    found = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    return [operation for operation in found if operation.path not in {ENDLESS, SLOW}]


def check(operation: Any, mode: GenerationMode) -> None:
    """Send requests to an operation; every answer must be as described."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        case.call_and_validate(headers=SENT)

    send()


@pytest.mark.long(15)
@pytest.mark.timeout(1800)
def test_every_answer_is_as_described(ready: Cli) -> None:
    with serving_vault(ready) as site:
        found = operations(site)
        assert len(found) > 45
        for operation in found:
            check(operation, GenerationMode.POSITIVE)
            check(operation, GenerationMode.NEGATIVE)


@pytest.mark.skipif(not IS_LONG, reason="takes half an hour: LACUNA_LONG_TESTS=1")
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("phase", ["examples", "coverage", "fuzzing", "stateful"])
def test_the_command_of_schemathesis_finds_nothing(ready: Cli, phase: str) -> None:
    assert ready("index").code == 0
    with serving_vault(ready) as site:
        url = f"http://127.0.0.1:{site.port}/api/v1/openapi.json"
        program = Path(sys.executable).with_name("schemathesis")
        header = f"Authorization: {SENT['Authorization']}"
        done = subprocess.run(
            [program, "run", url, "--header", header, "--phases", phase, "--max-examples", "100",
             "--exclude-path", ENDLESS, "--request-timeout", "120", "--seed", "1", "--no-color"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
