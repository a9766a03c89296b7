"""JSON of a service, read without trusting it."""

import pytest

from daemon.adapters.sources.reply import MAX_REPLY_BYTES, TroubleError, parsed
from tests.fakes.fetcher import answered

URL = "https://api.example/search"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[" * 1_000_000, "the answer is incomplete (not valid JSON)"),
        (b'{"a":' * 1_000_000, "the answer is incomplete (not valid JSON)"),
        (b"9" * 1_000_000, "the answer is incomplete (not valid JSON)"),
        (b"[" + b" " * MAX_REPLY_BYTES + b"]", "the answer is larger than 10 MB"),
    ],
)
def test_json_that_takes_too_much_is_refused(body: bytes, why: str) -> None:
    with pytest.raises(TroubleError) as error:
        parsed(answered(URL, body))
    assert error.value.why == why
