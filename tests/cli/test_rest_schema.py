"""The REST interface keeps what its description promises: generated requests find no difference."""

import os
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok

from tests.fakes.cli import Cli
from tests.fakes.web_site import TOKEN, Site, serving_vault

EXAMPLES = 100 if os.environ.get("LACUNA_LONG_TESTS") else 2  # of each kind, for each operation
ENDLESS = "/api/v1/events"  # its answer has no end
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
    url = f"http://127.0.0.1:{site.port}/api/v1/openapi.json"
    schema = schemathesis.openapi.from_url(
        url, headers=SENT, config=SchemathesisConfig.from_dict(CONFIG)
    )
    found = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    return [operation for operation in found if operation.path != ENDLESS]


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
